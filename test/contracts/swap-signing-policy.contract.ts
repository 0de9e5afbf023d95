/** What whoever signs must do over every kind of stores: a swap signs what follows from its records, field by field. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { AddressKey, familyOf, keyOf } from "../../core/chains/address.ts"
import { termsOf } from "../../core/evm/call.ts"
import type { Spending } from "../../core/policy/spending-ledger.ts"
import type { Secrets } from "../../core/ports/secrets.ts"
import type { SwapOrder, SwapVenues } from "../../core/ports/swap-venue.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Sales } from "../../core/sales/sale-store.ts"
import { callOf } from "../../core/solana/swap.ts"
import { type Order, SigningDenied } from "../../core/submissions/order.ts"
import { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import type { Identity } from "../../core/timeline/identity.ts"
import type { WaitStore } from "../../core/waits/wait-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import {
  floor,
  type Over,
  requestFor,
  signableCancellation,
  signableOrder
} from "../support/signable-swap-orders.ts"
import { minBuyAmount, signableSwap } from "../support/signable-swaps.ts"

type World =
  | Accounts
  | Wallets
  | Proposals
  | Spending
  | Sales
  | WaitStore
  | Identity
  | Secrets
  | WalletKeys
  | SwapVenues

/** Why it was not signed; undefined when it was. */
const violationOf = Effect.fnUntraced(function* (order: Order, bytes: Uint8Array) {
  const token = order.amount.token.address ?? AddressKey.make("")
  const { sign } = yield* WalletKeys
  const exit = yield* Effect.exit(
    sign(order.key, familyOf(order.chainId).curve, { order, token, bytes })
  )
  if (Exit.isSuccess(exit)) return undefined
  const defect = exit.cause.reasons.find(Cause.isDieReason)?.defect
  if (defect instanceof SigningDenied) return defect.violation
  return yield* Effect.failCause(exit.cause)
})

const digest = new Uint8Array(32).fill(7)
const elsewhere = keyOf("local", `0x${"ee".repeat(20)}`)

/** What each field of an order may be instead. */
const otherFields: { readonly [Field in keyof SwapOrder]: (order: SwapOrder) => SwapOrder[Field] } =
  {
    identity: () => "cd".repeat(32),
    chainId: () => "base",
    owner: () => elsewhere,
    receiver: () => elsewhere,
    sell: () => elsewhere,
    sellAmount: ({ sellAmount }) => sellAmount + 1n,
    buy: () => elsewhere,
    minBuyAmount: () => floor - 1n,
    validTo: ({ validTo }) => validTo + 1200
  }
const orderFields = Object.keys(otherFields) as ReadonlyArray<keyof SwapOrder>

const orderSuite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: the signing policy of an order`, (it) => {
    it.effect("an order that the records warrant is signed", () =>
      Effect.gen(function* () {
        const { bytes, request } = yield* signableOrder()
        assert.isUndefined(yield* violationOf(request, bytes))
      })
    )

    it.effect.each(orderFields)("another %s than was written down: not signed", (field) =>
      Effect.gen(function* () {
        const { base, order } = yield* signableOrder()
        const other = { ...order, [field]: otherFields[field](order) }
        if (field === "chainId") {
          // No venue has a form of it, so that the bytes of the true one are tried.
          const { bytes, request } = yield* requestFor(base, order)
          const call = { ...request.call, chainId: other.chainId }
          assert.isDefined(yield* violationOf({ ...request, call }, bytes))
          return
        }
        const { bytes, request } = yield* requestFor(base, other)
        assert.isDefined(yield* violationOf(request, bytes))
      })
    )

    it.effect.each(orderFields.filter((field) => field !== "chainId"))(
      "another %s than was approved: not signed, though it was written down",
      (field) =>
        Effect.gen(function* () {
          const { order } = yield* signableOrder()
          const { bytes, request } = yield* signableOrder({
            order: { [field]: otherFields[field](order) }
          })
          assert.isDefined(yield* violationOf(request, bytes))
        })
    )

    it.effect("any field of the request changed alone is never signed", () =>
      Effect.gen(function* () {
        const { bytes, request } = yield* signableOrder()
        const sibling = yield* signableOrder({ accountId: request.accountId })
        const foreign = yield* signableOrder()
        const { amount } = request
        const wrong: Record<string, Partial<Order>> = {
          "a transfer": { act: "transfer" },
          "a permit": { act: "permit" },
          "a call": { act: "call" },
          "no order": { call: null },
          "another proposal of the account": { proposalId: sibling.request.proposalId },
          "no proposal": { proposalId: Rows.anId() },
          "another identity": { identity: sibling.request.identity },
          "another account": { accountId: foreign.request.accountId },
          "another wallet of the account": { walletId: sibling.request.walletId },
          "another account's wallet": { walletId: foreign.request.walletId },
          "the next key": { key: { ...request.key, ref: `${request.key.ref}1` } },
          "another chain": { chainId: "base" },
          "another owner": { from: elsewhere },
          "another receiver": { to: elsewhere },
          "another token": {
            amount: { ...amount, token: { ...amount.token, address: elsewhere } }
          },
          "another amount": { amount: { ...amount, units: amount.units - 1n } }
        }
        for (const [named, over] of Object.entries(wrong)) {
          assert.isDefined(yield* violationOf({ ...request, ...over }, bytes), named)
        }
        assert.isDefined(yield* violationOf(request, digest), "other bytes")
        assert.isDefined(yield* violationOf(request, sibling.bytes), "another order's bytes")
        assert.isUndefined(yield* violationOf(request, bytes))
      })
    )

    const ended = { isDone: false, evidence: { type: "block" as const, id: "0x" }, at: Rows.at(9) }
    const cases: ReadonlyArray<readonly [string, Over, RegExp]> = [
      ["a proposal nobody confirmed", { proposal: { status: "pending_confirm" } }, /executing/u],
      ["one that waits for a passkey", { proposal: { status: "requires_action" } }, /executing/u],
      ["one that is completed", { proposal: { status: "completed" } }, /executing/u],
      ["one that failed", { proposal: { status: "failed" } }, /executing/u],
      ["one under another hash", { proposal: { intentHash: Rows.aDigest() } }, /hashed/u],
      ["one that no sale holds", { sale: "none" }, /nothing is held/u],
      ["one whose sale was released", { sale: "released" }, /nothing is held/u],
      ["one whose sale has left", { sale: "left" }, /nothing is held/u],
      ["one whose order was signed before", { isSigned: true }, /signed before/u],
      ["one whose wait has ended", { wait: { ended, nextLookAt: null } }, /written down/u],
      ["one that wrote no order down", { wait: { journal: {} } }, /written down/u]
    ]
    it.effect.each(cases)("%s: not signed", ([, over, sentence]) =>
      Effect.gen(function* () {
        const { bytes, request } = yield* signableOrder(over)
        assert.match((yield* violationOf(request, bytes)) ?? "", sentence)
      })
    )
  })

const cancellationSuite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: the signing policy of a cancellation`, (it) => {
    it.effect("the call that ends a signed order is signed once somebody has asked", () =>
      Effect.gen(function* () {
        const { request } = yield* signableCancellation()
        assert.isUndefined(yield* violationOf(request, digest))
        const unasked = yield* signableCancellation({ proposal: { stopAskedAt: null } })
        assert.match((yield* violationOf(unasked.request, digest)) ?? "", /nobody asked/u)
        const unsigned = yield* signableCancellation({ isSigned: false })
        assert.match((yield* violationOf(unsigned.request, digest)) ?? "", /no signed order/u)
      })
    )

    it.effect("any field of it changed alone is never signed", () =>
      Effect.gen(function* () {
        const { request, to } = yield* signableCancellation()
        const other = yield* signableCancellation({ accountId: request.accountId })
        const { amount } = request
        const wrong: Record<string, Partial<Order>> = {
          "an order": { act: "order" },
          "a transfer": { act: "transfer" },
          "the call that ends another order": { call: other.call },
          "another contract": { to: elsewhere },
          "no call": { call: null },
          "a call of its own": { call: termsOf({ to, data: "0x00", value: 0n }) },
          "the identity of the swap itself": { identity: other.request.identity },
          "another wallet": { walletId: other.request.walletId },
          "another address": { from: elsewhere },
          "another token": {
            amount: { ...amount, token: { ...amount.token, address: elsewhere } }
          },
          "another amount": { amount: { ...amount, units: 1n } }
        }
        for (const [named, over] of Object.entries(wrong)) {
          assert.isDefined(yield* violationOf({ ...request, ...over }, digest), named)
        }
        assert.isUndefined(yield* violationOf(request, digest))
      })
    )
  })

const mint = {
  usdc: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
  jup: "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN",
  other: AddressKey.make("9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin")
}

const transactionSuite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: the signing policy of a swap on Solana`, (it) => {
    const given = (over: Partial<Parameters<typeof signableSwap>[0]> = {}) =>
      signableSwap({ usdc: mint.usdc, buy: mint.jup, ...over })
    const called = (over: Partial<Parameters<typeof callOf>[0]>) =>
      callOf({
        ...{ buy: AddressKey.make(mint.jup), minBuyAmount, slippageBps: 50 },
        ...{ notAfter: 3_786_912_000, ...over }
      })

    it.effect("any field of it changed alone is never signed", () =>
      Effect.gen(function* () {
        const { order } = yield* given()
        const { amount } = order
        const sibling = yield* given({ accountId: order.accountId })
        const foreign = yield* given()
        const token = { ...amount.token, address: AddressKey.make(mint.jup) }
        const wrong: Record<string, Partial<Order>> = {
          "an order": { act: "order" },
          "a transfer": { act: "transfer" },
          "no call": { call: null },
          "another bought token": { call: called({ buy: mint.other }) },
          "a lower floor": { call: called({ minBuyAmount: minBuyAmount - 1n }) },
          "a higher floor": { call: called({ minBuyAmount: minBuyAmount + 1n }) },
          "more slippage": { call: called({ slippageBps: 51 }) },
          "more time": { call: called({ notAfter: 3_786_912_001 }) },
          "something more": { call: { ...order.call, more: 1 } },
          "another proposal": { proposalId: sibling.order.proposalId },
          "another identity": { identity: sibling.order.identity },
          "another account": { accountId: foreign.order.accountId },
          "another wallet": { walletId: sibling.order.walletId },
          "the next key": { key: { ...order.key, ref: `${order.key.ref}1` } },
          "another chain": { chainId: "solana" },
          "another address": { from: mint.other },
          "another receiver": { to: mint.other },
          "another token": { amount: { ...amount, token } },
          "another amount": { amount: { ...amount, units: amount.units + 1n } }
        }
        for (const [named, over] of Object.entries(wrong)) {
          assert.isDefined(yield* violationOf({ ...order, ...over }, digest), named)
        }
        assert.isUndefined(yield* violationOf(order, digest))
      })
    )

    it.effect("records that do not hold it: not signed", () =>
      Effect.gen(function* () {
        const violation = Effect.fnUntraced(function* (over: Parameters<typeof given>[0]) {
          return (yield* violationOf((yield* given(over)).order, digest)) ?? ""
        })
        for (const status of ["pending_confirm", "requires_action", "completed", "failed"] as const)
          assert.match(yield* violation({ proposal: { status } }), /executing/u)
        const hash = { proposal: { intentHash: Rows.aDigest() } }
        assert.match(yield* violation(hash), /hashed/u)
        assert.match(yield* violation({ isOpen: false }), /no open sale/u)
      })
    )
  })

export const suite = (name: string, world: Layer.Layer<World>) => {
  orderSuite(name, world)
  cancellationSuite(name, world)
  transactionSuite(name, world)
}
