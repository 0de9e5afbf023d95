/** An order that the records have lost is found also by nodes that have thrown old things away, and what they lack is told. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SignedOrder } from "../../../../core/ports/swap-venue.ts"
import { type Alter, altering } from "../../../support/altered-answers.ts"
import * as Anvil from "../../../support/anvil.ts"
import { placed, venue } from "../../../support/cow-venue.ts"
import { CowWorld, layer as cow } from "../../../support/cow-world.ts"

/** Refuses every question that reaches back to the first blocks, as one that keeps no old ones. */
const withoutOldLogs: Alter = ({ id, method, params }, answered) => {
  const [range] = params as ReadonlyArray<{ readonly fromBlock?: string }>
  if (method !== "eth_getLogs" || range?.fromBlock !== "0x0") return answered
  return { id, error: { code: -32000, message: "pruned history unavailable" } }
}

const without =
  (forgotten: string): Alter =>
  ({ id, method }, answered) =>
    method === forgotten ? { id, result: null } : answered

const filled = Effect.gen(function* () {
  const { book, setPrice, weth } = yield* CowWorld
  yield* setPrice(weth, 2_500_000_000n)
  const order = yield* placed()
  assert.containsAllKeys(yield* book.settle(order.orderId), ["txHash"])
  yield* (yield* Anvil.AnvilChain).mine(1)
  return order
})

const sought = ({ chainId, identity, owner, sell }: SignedOrder) => ({
  ...{ chainId, identity, owner, sell, through: undefined },
  recorded: () => Effect.succeed([])
})

layer(cow.pipe(Layer.provideMerge(Anvil.layer)), { timeout: "60 seconds" })(
  "an order that the records have lost",
  (it) => {
    it.effect("is found in the last month by a node that keeps no older logs", () =>
      Effect.gen(function* () {
        const { mine, proxy, timePasses } = yield* Anvil.AnvilChain
        const order = yield* filled
        // More blocks than are asked for at once, so that a month does not begin with the first.
        yield* mine(2_100)
        yield* timePasses(31 * 24 * 3_600)
        const later = yield* filled
        yield* proxy.tamper(altering(withoutOldLogs))
        const { find } = yield* venue
        const found = yield* Effect.ensuring(find(sought(later)), proxy.tamper())
        assert.deepInclude(found, { _tag: "filled" })
        assert.deepInclude(yield* find(sought(order)), { _tag: "filled" })
      })
    )

    it.effect("is found by a node that no longer finds transactions by their hash", () =>
      Effect.gen(function* () {
        const { proxy } = yield* Anvil.AnvilChain
        const order = yield* filled
        const { find } = yield* venue
        yield* proxy.tamper(altering(without("eth_getTransactionByHash")))
        const found = yield* Effect.ensuring(find(sought(order)), proxy.tamper())
        assert.deepInclude(found, { _tag: "filled" })
      })
    )

    it.effect("may be any sale whose transaction a node does not tell", () =>
      Effect.gen(function* () {
        const { proxy } = yield* Anvil.AnvilChain
        const order = yield* filled
        const { find } = yield* venue
        yield* proxy.tamper(altering(without("eth_getTransactionByBlockHashAndIndex")))
        const found = yield* Effect.ensuring(find(sought(order)), proxy.tamper())
        assert.strictEqual(found._tag, "undecidable")
      })
    )
  }
)
