/** The last place a plan has for a wallet, asked for by many at once on PostgreSQL. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import { plans } from "../../../core/policy/plan.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as SmallTreasury from "../../support/small-treasury.ts"

const treasury = Layer.merge(
  SmallTreasury.layer(),
  Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engine))
)

layer(treasury)("wallets opened at once", (it) => {
  it.effect("share the places of the plan, and none is given twice", () =>
    Effect.gen(function* () {
      const [, agent] = yield* bothFurnished
      const call = callsOf(agent.caller)
      const { maxWallets } = plans.personal
      const opening = Array.from({ length: 2 * maxWallets }, (_, n) =>
        Effect.result(call.propose_create_account({ chainId: "local", walletName: `Wallet ${n}` }))
      )
      const results = yield* Effect.all(opening, { concurrency: 8 })
      // The first wallet was there before.
      assert.lengthOf(results.filter(Result.isSuccess), maxWallets - 1)
      for (const { failure } of results.filter(Result.isFailure)) {
        assert.strictEqual(failure._tag, "POLICY_LIMIT_EXCEEDED")
      }
      assert.strictEqual(yield* (yield* Wallets).countOwn(agent.accountId), maxWallets)
    })
  )
})
