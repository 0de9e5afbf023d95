/** What every store of resendings must do: let those who ask at once pass one by one. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { ClaimLinkResends } from "../../core/agents/claim-link-resends.ts"
import { turnAt } from "../../core/agents/resend-claim-link.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (
  name: string,
  stores: Layer.Layer<ClaimLinkResends | Accounts | Atomically>
) =>
  layer(stores)(`${name}: claimLinkResends`, (it) => {
    it.effect("what was noted last is what is read, of each account alone", () =>
      Effect.gen(function* () {
        const claimLinkResends = yield* ClaimLinkResends
        const { run } = yield* Atomically
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const lock = (accountId: string) => run(claimLinkResends.lock(accountId))
        assert.deepStrictEqual(yield* lock(mine.id), [])
        yield* claimLinkResends.note(mine.id, [Rows.at(1), Rows.at(2.5)])
        yield* claimLinkResends.note(mine.id, [Rows.at(2.5), Rows.at(4)])
        assert.deepStrictEqual(yield* lock(mine.id), [Rows.at(2.5), Rows.at(4)])
        assert.deepStrictEqual(yield* lock(other.id), [])
      })
    )

    it.effect("of sixty-four who ask at once, three have their turn", () =>
      Effect.gen(function* () {
        const claimLinkResends = yield* ClaimLinkResends
        const { run } = yield* Atomically
        const { id } = yield* Stored.account()
        const asking = run(
          Effect.gen(function* () {
            const turn = turnAt(yield* claimLinkResends.lock(id), Rows.at(0))
            if (turn._tag === "allowed") yield* claimLinkResends.note(id, turn.askedAt)
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
