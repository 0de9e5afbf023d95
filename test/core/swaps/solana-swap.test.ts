/** What a swap on Solana may sign is what its proposal says, term by term, while its sale is open. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Ids from "../../../adapters/memory/ids.ts"
import { stores } from "../../../adapters/memory/memory.ts"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import * as WalletKeys from "../../../adapters/memory/wallet-keys.ts"
import { AddressKey } from "../../../core/chains/address.ts"
import { Sales } from "../../../core/sales/sale-store.ts"
import { callOf } from "../../../core/solana/swap.ts"
import type { Order } from "../../../core/submissions/order.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import { next } from "../../../core/swaps/solana-swap.ts"
import * as SigningPolicy from "../../../core/treasury/signing-policy.ts"
import type { Step } from "../../../core/waits/next-step.ts"
import { registries } from "../../support/registries.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import { minBuyAmount, signableSwap } from "../../support/signable-swaps.ts"
import { identified, trusting } from "../../support/signing-policies.ts"

const usdc = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
const jup = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"
const other = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"

const world = Layer.suspend(() =>
  SigningPolicy.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(stores, registries, identified, Ids.layer(1))),
    Layer.provideMerge(MemoryStore.layer),
    Layer.provideMerge(Layer.provide(WalletKeys.layer, trusting))
  )
)

const given = (over: Partial<Parameters<typeof signableSwap>[0]> = {}) =>
  signableSwap({ usdc, buy: jup, ...over })

/** Why it is not signed; undefined when it is. */
const denial = Effect.fnUntraced(function* (order: Order) {
  const { assertAllowed } = yield* SigningPolicy.SigningPolicy
  const exit = yield* Effect.exit(
    assertAllowed(order, order.amount.token.address ?? AddressKey.make(""), new Uint8Array())
  )
  return exit._tag === "Success" ? undefined : String(exit.cause)
})

const stepOf = (submission: Submission, isDone: boolean): Step => ({
  _tag: "submission",
  n: 1,
  kind: "submit",
  isEnded: true,
  isDone,
  submission
})

layer(world)("a swap on Solana", (it) => {
  it.effect("is signed as its terms say", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* denial((yield* given()).order))
    })
  )

  const changed: Readonly<Record<string, (order: Order) => Partial<Order>>> = {
    // An order is held to its own bytes before its kind is asked.
    "the bytes are not those of the order": () => ({ act: "order" }),
    "no such wallet": () => ({ walletId: Rows.anId() }),
    "another address": () => ({ from: AddressKey.make(other) }),
    "another receiver": () => ({ to: AddressKey.make(other) }),
    "another token": ({ amount }) => ({
      amount: { ...amount, token: { ...amount.token, address: AddressKey.make(jup) } }
    }),
    "sell another amount": ({ amount }) => ({ amount: { ...amount, units: amount.units + 1n } }),
    "buy something else": () => ({
      call: callOf({
        buy: AddressKey.make(other),
        minBuyAmount,
        slippageBps: 50,
        notAfter: 3_786_912_000
      })
    }),
    "by another floor": () => ({
      call: callOf({
        buy: AddressKey.make(jup),
        minBuyAmount: minBuyAmount - 1n,
        slippageBps: 50,
        notAfter: 3_786_912_000
      })
    }),
    floor: ({ call }) => ({ call: { ...call, more: 1 } })
  }

  for (const [violation, change] of Object.entries(changed)) {
    it.effect(`is not signed when the records do not say it: ${violation}`, () =>
      Effect.gen(function* () {
        const { order } = yield* given()
        assert.include(yield* denial({ ...order, ...change(order) }), violation)
      })
    )
  }

  it.effect("is not signed without its open sale, or for a sale of another amount", () =>
    Effect.gen(function* () {
      const { order } = yield* given({ isOpen: false })
      assert.include(yield* denial(order), "it has no open sale")
    })
  )

  it.effect("is not signed on a day that is closed", () =>
    Effect.gen(function* () {
      const { order, proposal } = yield* given()
      const sales = yield* Sales
      const sale = yield* sales.find(proposal.id)
      if (sale !== undefined) yield* sales.close([sale])
      assert.include(yield* denial(order), "its day is closed")
    })
  )

  it.effect("begins with its one step, and ends by what came of that", () =>
    Effect.gen(function* () {
      const { order, proposal, terms, wallet } = yield* given()
      const first = next(terms, [])
      assert.deepInclude(first, { _tag: "submit", purpose: "solana_swap", call: order.call })
      const submission = SendingRows.aSubmission(proposal, wallet, {}, { status: "final" })
      const done = { ...submission, journal: { received: "199000000" } }
      assert.deepStrictEqual(next(terms, [stepOf(done, true)]), {
        _tag: "end",
        outcome: "executed",
        result: { soldAmount: "100000000", boughtAmount: "199000000", feesPaid: [] }
      })
      const journal = { received: "199000000", networkFee: "10100" }
      const paying = next(terms, [stepOf({ ...submission, journal }, true)])
      assert.deepNestedInclude(paying, {
        "result.feesPaid": [{ kind: "network", symbol: "SOL", amount: "10100", amountUsd: null }]
      })
      const reason = "A fresh quote gives less."
      assert.deepStrictEqual(next(terms, [stepOf({ ...submission, reason }, false)]), {
        _tag: "end",
        outcome: "not_executed",
        reason
      })
    })
  )
})
