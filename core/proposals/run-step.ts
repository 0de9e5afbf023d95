/**
 * What a proposal does on chains: its first step is opened in the transaction that starts it, each further one in
 * the transaction that ends the one before, and the last one's end ends it together with its reservation. Their
 * progress is read from them where the proposal is shown.
 */
import { DateTime, Effect } from "effect"
import { system } from "../audit/record.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { ofProposal } from "../submissions/identity.ts"
import {
  isRecovered,
  newSubmission,
  type Submission,
  type Terms
} from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { Identity } from "../timeline/identity.ts"
import type { Moment, Step, StepEnd, StepSubmission, StepWait } from "../waits/next-step.ts"
import { newWait } from "../waits/wait.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { type AnyKind, kindOf } from "./kind.ts"
import { type Change, moveAll } from "./move.ts"
import { outcomeAt, type Proposal, type Status } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import { inOrder, keyOf, txHashesOf } from "./step.ts"
import { walletOf } from "./step-wallets.ts"
import { termsOf } from "./terms.ts"

export interface Queued extends Omit<Terms, "wallet" | "signed" | "identity" | "call"> {
  readonly chainId: string
  /** Of an act that is a call. */
  readonly call?: Terms["call"]
  readonly wallet: Terms["wallet"]
}

/** Which step of its proposal a submission is, what it is called, and which part of its identity it has. */
interface Place {
  readonly n: number
  readonly kind?: string
  readonly part?: string
}

/** Queues what is to happen on a chain for a purpose, as a step of its proposal. */
const queueAt = Effect.fnUntraced(function* (
  proposal: Proposal,
  purpose: string,
  { call = null, chainId, ...terms }: Queued,
  { kind, n, part }: Place
) {
  const { accountId, id: proposalId } = proposal
  const identity = (yield* Identity).derive(ofProposal(proposal, part))
  const submission = newSubmission(
    {
      id: yield* (yield* Ids).uuid,
      key: keyOf(proposalId, n),
      purpose: {
        name: purpose,
        accountId,
        proposalId,
        ...(kind === undefined ? {} : { step: kind })
      },
      chainId,
      terms: { ...terms, identity, call, signed: null }
    },
    yield* DateTime.now
  )
  // Its key names the step, so that none is started twice.
  yield* (yield* SubmissionStore).add(submission)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("submissions"))
  return submission
})

/** Queues the only step of a proposal. Returns where that leaves the proposal. */
export const queue = Effect.fnUntraced(function* (
  proposal: Proposal,
  purpose: string,
  queued: Queued
) {
  const begun = yield* queueAt(proposal, purpose, queued, { n: 1 })
  return { status: "executing" as const, begun }
})

const submit = Effect.fnUntraced(function* (proposal: Proposal, step: StepSubmission, n: number) {
  const { _tag, kind, part, purpose, walletId, ...act } = step
  const wallet = walletId === null ? null : yield* walletOf(proposal.accountId, walletId)
  const place = { n, kind, ...(part === undefined ? {} : { part }) }
  yield* queueAt(proposal, purpose, { ...act, wallet }, place)
})

const wait = Effect.fnUntraced(function* (proposal: Proposal, step: StepWait, n: number) {
  const { _tag, ...waited } = step
  const { accountId, id: proposalId, stopAskedAt } = proposal
  const draft = { ...waited, accountId, proposalId, n, isStopAsked: stopAskedAt !== null }
  const opened = newWait({ ...draft, id: yield* (yield* Ids).uuid }, yield* DateTime.now)
  if (!(yield* (yield* WaitStore).open(opened))) {
    return yield* Effect.die(new Error(`Step ${n} of proposal ${proposalId} was started before.`))
  }
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("waits"))
})

const open = (proposal: Proposal, step: StepSubmission | StepWait, n: number) =>
  step._tag === "submit" ? submit(proposal, step, n) : wait(proposal, step, n)

/** Opens submissions that help an open wait, after all the steps there are. */
export const openBeside = Effect.fnUntraced(function* (
  proposal: Proposal,
  helping: ReadonlyArray<StepSubmission>
) {
  const steps = yield* stepsOf(proposal)
  for (const [at, step] of helping.entries()) yield* submit(proposal, step, steps.length + at + 1)
})

const stepsOf = Effect.fnUntraced(function* ({ id }: Proposal) {
  return inOrder(
    yield* (yield* SubmissionStore).ofProposals([id]),
    yield* (yield* WaitStore).ofProposals([id])
  )
})

/** What the end of an execution makes of its proposal. */
const endOf = (end: StepEnd, steps: ReadonlyArray<Step>): Change => {
  const submissions = steps.flatMap((step) => (step._tag === "wait" ? [] : [step.submission]))
  return {
    status: end.outcome === "executed" ? "completed" : "failed",
    statusReason: end.outcome === "executed" ? null : end.reason,
    outcome: end.outcome,
    result: end.result ?? null,
    txHashes: txHashesOf(steps),
    recovered:
      end.outcome === "executed" && end.isRecovered === true
        ? true
        : submissions.length > 0 && submissions.every(isRecovered)
  }
}

/**
 * Opens what comes next in a locked execution whose steps have ended, or says how it ends; undefined while it goes
 * on. While a step is open nothing is decided: a wait beside which one has ended looks again.
 */
export const goOn = Effect.fnUntraced(function* (proposal: Proposal) {
  const { next }: AnyKind = yield* kindOf(proposal)
  if (next === undefined) return undefined
  const steps = yield* stepsOf(proposal)
  const now = yield* DateTime.now
  const unended = steps.filter(({ isEnded }) => !isEnded)
  if (unended.length > 0) {
    const waits = unended.flatMap((step) => (step._tag === "wait" ? [step.wait.id] : []))
    if (waits.length === 0) return undefined
    yield* (yield* WaitStore).hurry(waits, now)
    yield* (yield* Atomically).afterCommit((yield* Notifier).signal("waits"))
    return undefined
  }
  const { accountId, id: proposalId, stopAskedAt } = proposal
  const moment: Moment = { now, accountId, proposalId, isStopAsked: stopAskedAt !== null }
  const decided = next(yield* termsOf(proposal), steps, moment)
  if (decided._tag === "end") return endOf(decided, steps)
  yield* open(proposal, decided, steps.length + 1)
  return undefined
})

const proposalIdOf = ({ purpose }: Submission): string => purpose.proposalId ?? ""

/** What the end of its only submission makes of a proposal. */
const endOfOne = (submission: Submission): Change => {
  const status = submission.status === "final" ? "completed" : "failed"
  return {
    status,
    statusReason: submission.reason,
    outcome: outcomeAt(status),
    txHashes: submission.txIds,
    recovered: isRecovered(submission)
  }
}

/** Ends locked executions with their reservations, in the running transaction. */
const end = Effect.fnUntraced(function* (
  changes: ReadonlyArray<readonly [proposal: Proposal, change: Change]>
) {
  if (changes.length === 0) return
  const ids = (status: Status) =>
    changes.flatMap(([{ id }, change]) => (change.status === status ? [id] : []))
  const spending = yield* Spending
  yield* spending.consume(ids("completed"))
  yield* spending.release(ids("failed"))
  for (const [proposal, { status }] of changes) {
    yield* (yield* kindOf(proposal)).ended(proposal, status === "completed")
  }
  yield* moveAll(changes, system)
})

/** Takes locked executions on after the end of a step of each: to their next step, or to their own end. */
export const stepEnded = Effect.fnUntraced(function* (
  proposals: ReadonlyArray<Proposal>,
  only: (proposal: Proposal) => Submission | undefined = () => undefined
) {
  const changes: Array<readonly [Proposal, Change]> = []
  for (const proposal of proposals.filter(({ status }) => status === "executing")) {
    const { next }: AnyKind = yield* kindOf(proposal)
    const submission = only(proposal)
    const change =
      next === undefined && submission !== undefined ? endOfOne(submission) : yield* goOn(proposal)
    if (change !== undefined) changes.push([proposal, change])
  }
  yield* end(changes)
})

/** Submissions of proposals have ended, in the transaction that writes that down. */
export const ended = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>) {
  const byId = new Map(submissions.map((each) => [proposalIdOf(each), each]))
  const locked = yield* (yield* Proposals).lockAll([...byId.keys()])
  yield* stepEnded(locked, ({ id }) => byId.get(id))
})
