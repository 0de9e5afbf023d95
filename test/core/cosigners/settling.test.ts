/** Those who change members or rules judge all that waits in the order everybody locks it in, and revive nothing. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { checkOpenVotes } from "../../../core/proposals/end-vote.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const waiting = Effect.fnUntraced(function* (
  accountId: string,
  proposedAt: number,
  confirmedAt: number
) {
  const { id: proposalId } = yield* Stored.proposal({
    accountId,
    createdAt: Rows.at(proposedAt),
    status: "requires_action",
    expiresAt: Rows.at(86_400)
  })
  yield* Stored.approval({ accountId, proposalId, createdAt: Rows.at(confirmedAt) })
  return proposalId
})

it.effect("they are locked by when they were proposed, not by when they were confirmed", () =>
  Effect.gen(function* () {
    const { id: accountId } = yield* Stored.account()
    const [first, second] = [yield* waiting(accountId, 1, 9), yield* waiting(accountId, 2, 8)]
    const proposals = yield* Proposals
    const locked: Array<string> = []
    const watched = {
      ...proposals,
      lock: (id: string) => {
        locked.push(id)
        return proposals.lock(id)
      }
    }
    yield* Effect.provideService(checkOpenVotes(accountId, [], "test"), Proposals, watched)
    assert.deepStrictEqual(locked, [first, second])
  }).pipe(Effect.provide(memoryTreasury))
)
