/** Who lost the lease of a send knows nothing of it any more, and must not end it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Journal from "../../../core/evm/journal.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { type Claimed, SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import { type Over, signable } from "../../support/signable-orders.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const claimedOf = (claims: ReadonlyArray<Claimed>, proposalId: string) => {
  const claimed = claims.find(({ submission }) => submission.purpose.proposalId === proposalId)
  return claimed ?? assert.fail("nothing claimed")
}

/** A send as its first claimer and, once that lease ran out, its second one hold it. */
const claimedTwice = Effect.fnUntraced(function* (over: Over = {}) {
  const { order, proposal, wallet } = yield* signable(over)
  const submission = SendingRows.aSubmission(proposal, wallet, {
    to: order.to,
    amount: order.amount,
    identity: order.identity
  })
  yield* (yield* SubmissionStore).open(submission)
  const first = claimedOf(yield* SubmissionQueue.claimAt(0), proposal.id)
  const second = claimedOf(yield* SubmissionQueue.claimAt(31), proposal.id)
  const standing = Effect.gen(function* () {
    const after = yield* (yield* Proposals).find(proposal.accountId, proposal.id)
    return [after?.status, (yield* (yield* Spending).heldBy(proposal.id))?.state]
  })
  return { first, second, order, standing }
})

layer(memoryTreasury)("a worker whose lease ran out", (it) => {
  it.effect("does not fail a send that it found the token to refuse", () =>
    Effect.gen(function* () {
      // The wallet holds nothing, so the trial says that the token would refuse.
      const { first, second, order, standing } = yield* claimedTwice()
      const authorization = yield* (yield* EvmRelay).authorize(order)
      const signed = (claimed: Claimed): Claimed => ({
        ...claimed,
        submission: {
          ...Journal.write(claimed.submission, { authorization, attempts: [] }),
          status: "signed"
        }
      })
      yield* SubmissionQueue.advanced(signed(first))
      assert.deepStrictEqual(yield* standing, ["executing", "reserved"])
      yield* SubmissionQueue.advanced(signed(second))
      assert.deepStrictEqual(yield* standing, ["failed", "released"])
    })
  )

  it.effect("does not fail a send that it found the recipient revoked of", () =>
    Effect.gen(function* () {
      const { first, second, standing } = yield* claimedTwice({ recipient: { status: "revoked" } })
      yield* SubmissionQueue.advanced(first)
      assert.deepStrictEqual(yield* standing, ["executing", "reserved"])
      yield* SubmissionQueue.advanced(second)
      assert.deepStrictEqual(yield* standing, ["failed", "released"])
    })
  )
})
