/**
 * Each line of the signing policy is tried alone: the records are altered so that every other line holds, and that
 * line's own violation comes. One that went missing would let a key sign.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import * as Usd from "../../../core/money/usd.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { violation } from "../../../core/treasury/signing-policy.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"
import {
  type Alteration,
  amountMicro,
  asked,
  elsewhere,
  otherSpender,
  recordsOf,
  type Stores
} from "../../support/signing-policy-stores.ts"

type Line = readonly [altered: string, Alteration | ((stores: Stores) => Alteration), alone: string]

const id = Rows.anId()

/** What holds of every signature. */
const foundation: ReadonlyArray<Line> = [
  ["another proposal", { proposal: { id } }, "the account has no such proposal"],
  ["another's proposal", { proposal: { accountId: id } }, "the proposal is another account's"],
  ["it is done", { proposal: { status: "completed" } }, "the proposal is not executing"],
  [
    "it is not confirmed",
    { proposal: { status: "pending_confirm" } },
    "the proposal is not executing"
  ],
  [
    "another hash was signed",
    { proposal: { intentHash: Rows.aDigest() } },
    "the proposal's terms are not those that were hashed"
  ],
  [
    "the terms were altered",
    { standing: { intentHash: Rows.aDigest() } },
    "the proposal's terms are not those that were hashed"
  ],
  [
    "its passkey has not signed",
    { proposal: { takesPasskey: true, signedBy: null } },
    "no passkey has signed the proposal"
  ],
  [
    "another wallet, as the terms say",
    { wallet: { id }, terms: { fromWalletId: id } },
    "the account has no such wallet"
  ],
  [
    "the order has another identity on the chain",
    { order: { identity: Rows.aDigest() } },
    "the proposal has another identity on the chain"
  ],
  [
    "the wallet has the next key",
    ({ wallet }) => ({ wallet: { key: { ...wallet.key, ref: `${wallet.key.ref}1` } } }),
    "the wallet has another key"
  ],
  [
    "the wallet is on another chain",
    { wallet: { chainId: "base" } },
    "the wallet is on another chain"
  ],
  [
    "it is signed for a token",
    { order: { token: Value.key(elsewhere) } },
    "it would be signed for another token"
  ],
  [
    "the order is for a token of another chain",
    ({ order: { amount } }) => ({
      order: { amount: { ...amount, token: { ...amount.token, chainId: "base" } } }
    }),
    "it would be signed for another token"
  ],
  [
    "the wallet has another address",
    { wallet: { address: elsewhere } },
    "the wallet has another address"
  ],
  [
    "a call without anything to call is signed",
    { order: { act: "call" } },
    "only a call says what is called"
  ],
  [
    "something else than a transfer carries a memo",
    { order: { act: "permit", memo: "Invoice 7" } },
    "only a transfer carries a memo"
  ],
  [
    "it says beside its act what is called",
    { order: { call: { to: elsewhere, data: "0x", value: "0" } } },
    "only a call says what is called"
  ]
]

/** What money that leaves must not pass. */
const paying: ReadonlyArray<Line> = [
  ["a permit is signed", { order: { act: "permit" } }, "a send signs nothing but a transfer"],
  ["the terms name a wallet", { terms: { fromWalletId: id } }, "the terms name another wallet"],
  [
    "the terms name a payer",
    { terms: { fromAddress: elsewhere } },
    "the terms name another address to send from"
  ],
  [
    "the terms name a payee",
    { terms: { toAddress: elsewhere } },
    "the terms name another address to send to"
  ],
  ["the terms name a chain", { terms: { chainId: "base" } }, "the terms name another chain"],
  [
    "the terms name the least less",
    { terms: { amountSmallestUnit: amountMicro - 1n } },
    "the terms name another amount"
  ],
  [
    "the terms name the least more",
    { terms: { amountSmallestUnit: amountMicro + 1n } },
    "the terms name another amount"
  ],
  [
    "a memo that the terms do not name",
    { order: { memo: "Invoice 7" } },
    "the terms name another memo"
  ],
  [
    "no memo where the terms name one",
    { terms: { onChainMemo: "Invoice 7" } },
    "the terms name another memo"
  ],
  [
    "a memo on a chain that carries none",
    { order: { memo: "Invoice 7" }, terms: { onChainMemo: "Invoice 7" } },
    "the chain carries no such memo"
  ],
  [
    "no memo for a recipient that requires one",
    { recipient: { requiredMemo: "Deposit 42" } },
    "the recipient requires another memo"
  ],
  ["another recipient", { recipient: { id } }, "the account has no such recipient"],
  [
    "a recipient in its cooldown",
    { recipient: { status: "pending", cooldownEndsAt: DateTime.makeUnsafe(1_000_000_000_001) } },
    "the recipient is not approved"
  ],
  [
    "a recipient that was revoked",
    { recipient: { status: "revoked" } },
    "the recipient is not approved"
  ],
  [
    "a recipient that moved",
    { recipient: { address: elsewhere } },
    "the recipient has another address"
  ],
  [
    "a recipient on another chain",
    { recipient: { chainId: "base" } },
    "the recipient is on another chain"
  ],
  [
    "what was reserved is released",
    ({ order: { accountId } }) => ({
      standing: { held: { accountId, amountMicro: Usd.make(amountMicro), state: "released" } }
    }),
    "nothing is reserved for it"
  ],
  [
    "what was reserved is spent",
    ({ order: { accountId } }) => ({
      standing: { held: { accountId, amountMicro: Usd.make(amountMicro), state: "consumed" } }
    }),
    "nothing is reserved for it"
  ],
  [
    "another account's limits were reserved",
    {
      standing: { held: { accountId: id, amountMicro: Usd.make(amountMicro), state: "reserved" } }
    },
    "nothing is reserved for it"
  ],
  ["nothing was reserved", { standing: { held: undefined } }, "nothing is reserved for it"],
  [
    "another amount was reserved",
    ({ order: { accountId } }) => ({
      standing: { held: { accountId, amountMicro: Usd.make(amountMicro - 1n), state: "reserved" } }
    }),
    "another amount is reserved for it"
  ]
]

const refunding: ReadonlyArray<Line> = [
  [
    "the recipient is the account's own",
    { recipient: { isOwn: true } },
    "the recipient is a wallet of the account"
  ],
  [
    "less is claimed",
    { standing: { claimedMicro: Usdc.make(amountMicro - 1n) } },
    "another amount is claimed for it"
  ],
  [
    "nothing is claimed",
    { standing: { claimedMicro: Usdc.make(0n) } },
    "another amount is claimed for it"
  ]
]

const allowing: ReadonlyArray<Line> = [
  ["a transfer is signed", { order: { act: "transfer" } }, "the approval is given in another way"],
  ["the terms name a wallet", { terms: { fromWalletId: id } }, "the terms name another wallet"],
  [
    "the terms name an address",
    { terms: { fromAddress: elsewhere } },
    "the terms name another address"
  ],
  [
    "the terms name a token",
    { terms: { tokenAddress: elsewhere } },
    "the terms name another token"
  ],
  [
    "the terms name a spender",
    { terms: { spender: otherSpender } },
    "the terms name another spender"
  ],
  [
    "the terms and the order name a spender of another flow",
    { terms: { spender: otherSpender }, order: { to: Value.key(otherSpender) } },
    "the flow has another spender on that chain"
  ],
  ["the terms name a chain", { terms: { chainId: "base" } }, "the terms name another chain"],
  [
    "the terms name an amount",
    { terms: { amountSmallestUnit: amountMicro + 1n } },
    "the terms name another amount"
  ]
]

describe.each([
  ["send", [...foundation, ...paying]],
  ["refund", [...foundation, ...paying, ...refunding]],
  ["token_approve", [...foundation, ...allowing]]
] as const)("the signing policy of a %s", (kind, lines) => {
  it("is given by records that hold all of it, however addresses are written", () => {
    assert.isUndefined(asked(kind))
    assert.isUndefined(
      asked(kind, ({ recipient, wallet }) => ({
        recipient: { address: Value.lower(recipient.address) },
        wallet: { address: Value.lower(wallet.address) }
      }))
    )
  })

  it.each(lines)("is not given when alone %s", (_, altered, sentence) => {
    assert.strictEqual(asked(kind, altered), sentence)
  })

  it("is not given for terms of another kind, nor of a kind that signs nothing", () => {
    const none = asked(kind, { proposal: { terms: {} } })
    assert.strictEqual(none, "the terms are none of its kind")
    assert.strictEqual(
      asked(kind, { proposal: { kind: "add_recipient" } }),
      "its kind signs nothing"
    )
    const { order } = recordsOf(kind)
    const without = {
      intentHash: undefined,
      identity: undefined,
      isOfOrder: true,
      proposal: undefined,
      wallet: undefined,
      records: undefined
    }
    assert.strictEqual(violation(order, without), "the account has no such proposal")
  })

  it("is not given without the wallet or the recipient it names", () => {
    assert.strictEqual(asked(kind, { wallet: null }), "the account has no such wallet")
    if (kind !== "token_approve") assert.isDefined(asked(kind, { recipient: null }))
  })
})

describe("a send to the account's own wallet", () => {
  const nothing = { held: undefined }

  it("needs no reservation, if both the allowlist and the wallets say that it is its own", () => {
    const own = asked("send", ({ order }) => ({
      recipient: { isOwn: true },
      standing: { ...nothing, owner: order.accountId }
    }))
    assert.isUndefined(own)
  })

  it("needs one if only one of them does, or the wallet is another account's", () => {
    const none = "nothing is reserved for it"
    const said = asked("send", { recipient: { isOwn: true }, standing: nothing })
    const others = asked("send", {
      recipient: { isOwn: true },
      standing: { ...nothing, owner: id }
    })
    const unsaid = asked("send", ({ order }) => ({
      standing: { ...nothing, owner: order.accountId }
    }))
    assert.deepStrictEqual([said, others, unsaid], [none, none, none])
  })
})
