/** What every book of resendings must do: let those who ask at once pass one by one. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Resendings } from "../../core/agents/claim-link-resends.ts"
import { turnAt } from "../../core/agents/resending.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Plant from "../support/planting.ts"
import * as Rows from "../support/rows.ts"

export const suite = (name: string, books: Layer.Layer<Resendings | Accounts | Atomically>) =>
  layer(books)(`${name}: resendings`, (it) => {
    it.effect("what was noted last is what is read, of each account alone", () =>
      Effect.gen(function* () {
        const resendings = yield* Resendings
        const { run } = yield* Atomically
        const [mine, other] = [yield* Plant.account(), yield* Plant.account()]
        const lock = (accountId: string) => run(resendings.lock(accountId))
        assert.deepStrictEqual(yield* lock(mine.id), [])
        yield* resendings.note(mine.id, [Rows.at(1), Rows.at(2.5)])
        yield* resendings.note(mine.id, [Rows.at(2.5), Rows.at(4)])
        assert.deepStrictEqual(yield* lock(mine.id), [Rows.at(2.5), Rows.at(4)])
        assert.deepStrictEqual(yield* lock(other.id), [])
      })
    )

    it.effect("of sixty-four who ask at once, three have their turn", () =>
      Effect.gen(function* () {
        const resendings = yield* Resendings
        const { run } = yield* Atomically
        const { id } = yield* Plant.account()
        const asking = run(
          Effect.gen(function* () {
            const turn = turnAt(yield* resendings.lock(id), Rows.at(0))
            if (turn._tag === "allowed") yield* resendings.note(id, turn.askedAt)
            return turn._tag
          })
        )
        const turns = yield* Effect.all(
          Array.from({ length: 64 }, () => asking),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          turns.filter((turn) => turn === "allowed"),
          3
        )
      })
    )
  })
