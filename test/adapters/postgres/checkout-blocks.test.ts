/** What a checkout session costs the database: its rows, few indexes, and no look at what was just read. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { Chains } from "../../../core/ports/chains.ts"
import * as Accounts from "../../support/accounts.ts"
import { blocksOf } from "../../support/block-counter.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

// One connection, whose blocks are counted.
const engine = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (url) => FreshDatabase.engineAt(url, 1))
)
const treasury = Layer.suspend(() =>
  Layer.mergeAll(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1),
    Layer.provideMerge(Stores.layer, engine)
  )
).pipe(Layer.orDie)

/** In a small database, where each index and each look counts for one or two, and free space found elsewhere for a few. */
const most = 56

layer(treasury)("a checkout session", (it) => {
  it.effect("with one endpoint that hears of it reads few blocks", () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* Accounts.opened()
      yield* Accounts.vault(accountId, "user_42")
      yield* call.create_merchant_webhook({ url: "https://shop.example.com/hook" })
      for (const each of (yield* Chains).connected) yield* watchOnce(each)
      const minted = (order: number) =>
        call.create_checkout_session(
          { customer: { externalId: "user_42" }, amountUsd: 49 },
          { idempotencyKey: `order-${order}` }
        )
      // Often enough for the database to choose the plans that it would keep.
      for (let order = 0; order < 40; order++) yield* minted(order)
      const counted = yield* Effect.forEach([40, 41, 42, 43, 44], (order) =>
        blocksOf(minted(order))
      )
      const blocks = counted.map((each) => each.blocks).toSorted((one, other) => one - other)[2]
      assert.isAtMost(blocks ?? Number.NaN, most)
    })
  )
})
