/** On a server: sends of one account are judged side by side, and what they were judged by still holds when they are written. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const stores = Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engine))

layer(stores)("two sends of one account, judged before either is written", (it) => {
  it.effect.each([
    ["dailyMicro", 10n],
    ["monthlyMicro", 10n],
    ["dailyMicro", 12n]
  ] as const)("under a %s of %s", ([cap, capMicro]) =>
    Effect.gen(function* () {
      const spending = yield* Spending
      const { run } = yield* Atomically
      const { id: accountId } = yield* Stored.account()
      const [one, other] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const judged: Array<string> = []
      const reserving = Effect.fnUntraced(function* (
        mine: Deferred.Deferred<void>,
        theirs: Deferred.Deferred<void>
      ) {
        const proposal = yield* Stored.proposal({ accountId })
        const reservation = SendingRows.aReservation(proposal, { amountMicro: 6n })
        const limits = SendingRows.limits({ [cap]: capMicro })
        return yield* run(
          Effect.gen(function* () {
            const reserved = yield* spending.reserve(reservation, limits)
            judged.push(reserved._tag)
            yield* Deferred.succeed(mine, undefined)
            yield* Deferred.await(theirs)
            return reserved._tag
          })
        )
      })
      const tags = yield* Effect.all([reserving(one, other), reserving(other, one)], {
        concurrency: "unbounded"
      })
      const bothFit = capMicro === 12n
      assert.deepStrictEqual(judged.slice(0, 2), ["reserved", "reserved"])
      assert.sameMembers(tags, ["reserved", bothFit ? "reserved" : "over"])
      const usedMicro = bothFit ? 12n : 6n
      assert.deepStrictEqual(yield* spending.used(accountId, windowsAt(Rows.at(0))), {
        dayMicro: usedMicro,
        monthMicro: usedMicro
      })
    })
  )
})
