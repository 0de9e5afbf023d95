/**
 * What submissions on an EVM chain take one after the other: room in the ledger of outlay, and the relayer's next
 * nonces, which are written down before anything is signed under them.
 */
import { Effect } from "effect"
import { layOut } from "../policy/lay-out.ts"
import type { Submission } from "../submissions/submission.ts"
import { type Claimed, SubmissionStore } from "../submissions/submission-store.ts"
import type { Step } from "../submissions/submitter.ts"
import { placeHolds } from "./hold.ts"
import { onward, type Planned, type Shared, waiting } from "./look.ts"
import { chargeOf } from "./outlay.ts"
import { outlayReached } from "./reasons.ts"

const outlayWaitMs = 60_000

/** What was submitted before goes on with the bytes it has. */
const refused = (submission: Submission): Step =>
  submission.status === "submitted"
    ? { at: submission, next: "submit" }
    : waiting({ ...submission, reason: outlayReached }, outlayWaitMs)

/** The first of so many nonces; none is taken for nobody. */
const firstNonce = Effect.fnUntraced(function* (takers: ReadonlyArray<Submission>, plan: Planned) {
  const [taker] = takers
  if (taker === undefined) return 0
  const { conditions, relayer } = plan
  const { takeSequences } = yield* SubmissionStore
  return yield* takeSequences(taker.chainId, relayer, conditions.relayerCount, takers.length)
})

/** In the transaction that writes down what it gives, which may be begun again. */
export const place = Effect.fnUntraced(function* (
  claimed: ReadonlyArray<Claimed>,
  shared: Pick<Shared, "planned" | "holds">
) {
  const calls = claimed.flatMap(({ submission }) =>
    submission.terms.act === "call" ? [submission] : []
  )
  const held = yield* placeHolds(calls, shared)
  const carried = claimed.filter(({ submission }) => submission.terms.act !== "call")
  const placed = yield* placeCarried(carried, shared)
  for (const [at, { submission }] of carried.entries()) held.set(submission.id, placed[at] as Step)
  return claimed.map(({ submission }) => held.get(submission.id) as Step)
})

/** Those that the relayer carries. */
const placeCarried = Effect.fnUntraced(function* (
  claimed: ReadonlyArray<Claimed>,
  { planned }: Pick<Shared, "planned">
) {
  const all = claimed.map(({ submission }) => {
    const plan = planned.get(submission.id)
    if (plan === undefined) throw new Error(`Nothing is planned for submission ${submission.id}.`)
    return { submission, plan }
  })
  const [first] = all
  if (first === undefined) return []
  const granted = yield* layOut(
    all.map(({ plan, submission }) => chargeOf(submission, plan.fees, plan.conditions))
  )
  const takers = all.filter(({ plan }, at) => granted[at] === true && !plan.isHeld)
  const nonce = yield* firstNonce(
    takers.map(({ submission }) => submission),
    first.plan
  )
  const nonces = new Map(takers.map(({ submission }, at) => [submission.id, nonce + at]))
  return all.map(({ plan, submission }, at): Step => {
    if (granted[at] !== true) return refused(submission)
    const relayerSequence = nonces.get(submission.id)
    return onward(
      relayerSequence === undefined
        ? submission
        : { ...submission, relayer: plan.relayer, relayerSequence }
    )
  })
})
