/** What opening payment requests costs the database: one write each, and one look at the vaults of a moment. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { Chains } from "../../../core/ports/chains.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Wire from "../../support/wire.ts"

const treasury = Layer.suspend(() =>
  Layer.merge(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1),
    Wire.stores
  )
).pipe(Layer.orDie)

it.live(
  "payment requests of one moment look their vaults up in one statement, and are written in one each",
  () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* Accounts.opened()
      const vaults = yield* Effect.forEach(["user_1", "user_2", "user_3"], (customer) =>
        Accounts.vault(accountId, customer)
      )
      for (const each of (yield* Chains).connected) yield* watchOnce(each)
      const opened = Effect.forEach(
        [...vaults, ...vaults],
        ({ id }) => call.create_payment_request({ walletMappingId: id, amountUsd: 49 }),
        { concurrency: "unbounded" }
      )
      // Once before, so that nothing is asked that a process asks once.
      yield* opened
      const { exit, statements } = yield* Wire.listenedTo(opened)
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(statements, 1 + 6)
    }).pipe(Effect.provide(treasury))
)
