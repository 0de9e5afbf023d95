/** What whoever signs must do over every kind of stores: nobody is allowed anything that they do not warrant. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import type { Refunds } from "../../core/payments/refund-ledger.ts"
import type { Transfers } from "../../core/payments/transfer-store.ts"
import type { Spending } from "../../core/policy/spending-ledger.ts"
import type { Chains } from "../../core/ports/chains.ts"
import type { Secrets } from "../../core/ports/secrets.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Recipients } from "../../core/recipients/recipient-store.ts"
import type { Order } from "../../core/submissions/order.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import type { Identity } from "../../core/timeline/identity.ts"
import * as Spender from "../../core/trade/spender.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Value from "../support/chain-values.ts"
import * as Rows from "../support/rows.ts"
import { amountMicro, signable, signableApproval } from "../support/signable-orders.ts"
import { violationOf } from "./signing-policy.contract.ts"

type World =
  | Accounts
  | Chains
  | Identity
  | EvmRelay
  | Proposals
  | Recipients
  | Refunds
  | Transfers
  | Secrets
  | WalletKeys
  | Spending
  | Wallets

const otherSpender = Spender.find("limit_order_bridge", "local")?.address ?? ""

export const suite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: the signing policy of an approval`, (it) => {
    it.effect("an approval that the records warrant is signed as they say", () =>
      Effect.gen(function* () {
        const { order, wallet } = yield* signableApproval()
        const signed = yield* (yield* EvmRelay).authorize(order)
        assert.strictEqual(signed.act, "permit")
        assert.strictEqual(signed.from, wallet.address.toLowerCase())
        assert.strictEqual(signed.to, order.to.toLowerCase())
        assert.strictEqual(signed.amountMicro, amountMicro)
      })
    )

    it.effect("any field of the order changed alone is never signed", () =>
      Effect.gen(function* () {
        const { order } = yield* signableApproval()
        const sibling = yield* signableApproval({ accountId: order.accountId })
        const wrong: Record<string, Partial<Order>> = {
          "a transfer to the spender": { act: "transfer" },
          "another proposal of the account": { proposalId: sibling.order.proposalId },
          "another wallet of the account": { walletId: sibling.order.walletId },
          "the next key": { key: { ...order.key, ref: `${order.key.ref}1` } },
          "another owner": { from: sibling.order.from },
          "the spender of another flow": { to: Value.key(otherSpender) },
          "any other spender": { to: Value.key(Rows.anAddress()) },
          "the least more": { amount: { ...order.amount, units: amountMicro + 1n } },
          "without a bound": { amount: { ...order.amount, units: 2n ** 256n - 1n } }
        }
        for (const [named, over] of Object.entries(wrong)) {
          assert.isDefined(yield* violationOf({ ...order, ...over }), named)
        }
        assert.isUndefined(yield* violationOf(order))
      })
    )

    it.effect("a spender that is in the terms and not in the table is not allowed anything", () =>
      Effect.gen(function* () {
        const { order } = yield* signableApproval({ terms: { spender: Rows.anAddress() } })
        assert.match((yield* violationOf(order)) ?? "", /another spender/u)
        const swapped = yield* signableApproval({
          terms: { spender: Value.address(otherSpender) }
        })
        assert.match((yield* violationOf(swapped.order)) ?? "", /another spender/u)
      })
    )

    it.effect("an approval of another token than the one signed for is not signed", () =>
      Effect.gen(function* () {
        const { order } = yield* signableApproval({ terms: { tokenAddress: Rows.anAddress() } })
        assert.match((yield* violationOf(order)) ?? "", /another token/u)
      })
    )

    it.effect("an approval nobody confirmed is not signed, nor one that ended", () =>
      Effect.gen(function* () {
        for (const status of ["pending_confirm", "requires_action", "completed"] as const) {
          const { order } = yield* signableApproval({ proposal: { status } })
          assert.match((yield* violationOf(order)) ?? "", /executing/u)
        }
      })
    )

    it.effect("a send never allows its recipient to take", () =>
      Effect.gen(function* () {
        const { order } = yield* signable()
        assert.match((yield* violationOf({ ...order, act: "permit" })) ?? "", /transfer/u)
      })
    )
  })
