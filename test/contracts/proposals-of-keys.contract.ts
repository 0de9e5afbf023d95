/** What every store of proposals knows of the keys behind them: what still waits of those that are revoked. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { type Proposal, type Status, terminal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const plantEach = (statuses: ReadonlyArray<Status>, over: Partial<Proposal>) =>
  Effect.forEach(statuses, (status, index) =>
    Stored.proposal({ ...over, status, createdAt: Rows.at(index) })
  )

export const suite = (name: string, stores: Layer.Layer<Proposals | Accounts>) =>
  layer(stores)(`${name}: proposals of keys`, (it) => {
    it.effect(
      "of some keys waits what they proposed or confirmed and is neither executing nor ended",
      () =>
        Effect.gen(function* () {
          const { move, waitingBy } = yield* Proposals
          const { id: accountId } = yield* Stored.account()
          const [key, other] = [Rows.anId(), Rows.anId()]
          const proposed = yield* plantEach(["pending_confirm", "requires_action"], {
            accountId,
            proposedBy: key
          })
          const byOther = yield* Stored.proposal({ accountId, proposedBy: other })
          const confirmed = yield* Stored.proposal({ accountId, status: "requires_action" })
          yield* move([{ ...confirmed, confirmedBy: key }])
          yield* plantEach(["executing", ...terminal], { accountId, proposedBy: key })
          yield* Stored.proposal({ proposedBy: key })
          const theirs = [...PageWalk.ids(proposed), confirmed.id]
          assert.sameMembers([...(yield* waitingBy(accountId, [key]))], theirs)
          assert.sameMembers(
            [...(yield* waitingBy(accountId, [key, other]))],
            [...theirs, byOther.id]
          )
          assert.deepStrictEqual(yield* waitingBy(accountId, []), [])
        })
    )

    it.effect("those that wait are counted as far as asked, without those that have run out", () =>
      Effect.gen(function* () {
        const { countWaiting } = yield* Proposals
        const { id: accountId } = yield* Stored.account()
        const expiresAt = Rows.at(100)
        yield* plantEach(["pending_confirm", "requires_action", "pending_confirm"], {
          accountId,
          expiresAt
        })
        yield* plantEach(["executing", ...terminal], { accountId, expiresAt })
        yield* Stored.proposal({ accountId, expiresAt: Rows.at(50) })
        yield* Stored.proposal({ expiresAt })
        const count = (seconds: number, max: number) =>
          countWaiting(accountId, Rows.at(seconds), max)
        assert.strictEqual(yield* count(49, 9), 4)
        assert.strictEqual(yield* count(50, 9), 3)
        assert.strictEqual(yield* count(50, 2), 2)
        assert.strictEqual(yield* count(100, 9), 0)
      })
    )
  })
