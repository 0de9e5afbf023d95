/**
 * Carries submissions from their first row to their end, whatever they are for and whatever chain they are on.
 * Each step is written down before the next; every step may be repeated, here or on another replica. What those of
 * one chain come to at about the same time is written together.
 */
import { Clock, DateTime, Duration, Effect, Latch, Scope } from "effect"
import { claimMs } from "../background/holding.ts"
import { signatureRefused } from "../operation/metrics.ts"
import { Notifier } from "../ports/notifier.ts"
import { heldMs, whyHeldOn, whyReplaced } from "../timeline/sending.ts"
import { whyStopped } from "../tokens/usdc-stop.ts"
import * as Gather from "./gather.ts"
import { SigningDenied } from "./order.ts"
import { purposeOf } from "./purposes.ts"
import { isEnded, isUnsubmitted, type Submission } from "./submission.ts"
import { type Claimed, SubmissionStore } from "./submission-store.ts"
import { type AnyBatch, type Step, submitterOf } from "./submitter.ts"
import { type Stepped, soonestMs, type Written, writeDown } from "./write-down.ts"

/** Rare enough to look into, often enough that it goes on soon after the records are put right. */
const deniedWaitMs = 60_000

export const chainAway = "The chain cannot be read now; it is looked at again."
const recordsDisagree = "The signing policy denied the signature; the operator is alerted."

const failing = (submission: Submission, reason: string): Step => ({
  at: { ...submission, status: "failed", reason },
  next: "step"
})

/** A chain that cannot be read leaves everything as it is written; only the answer is unknown. */
const away = (submission: Submission): Step => ({
  at:
    isUnsubmitted(submission) || isEnded(submission)
      ? submission
      : { ...submission, reason: chainAway },
  next: "wait",
  waitMs: soonestMs
})

const waiting = (
  submission: Submission,
  { reason, waitMs }: { readonly reason: string; readonly waitMs: number }
): Step => ({ at: { ...submission, reason }, next: "wait", waitMs })

const admission = Effect.fnUntraced(function* (submission: Submission) {
  const { admit } = yield* purposeOf(submission.purpose.name)
  return yield* admit(submission)
})

/** Nothing is signed, nothing is ended and nothing given back; any other defect stays one. */
const denied = Effect.fnUntraced(function* (submission: Submission, defect: unknown) {
  if (!(defect instanceof SigningDenied)) return yield* Effect.die(defect)
  const { chainId } = submission
  const held = (yield* whyHeldOn(chainId)) ?? (yield* whyStopped(chainId))
  if (held !== undefined) {
    return isUnsubmitted(submission)
      ? waiting(submission, { reason: held, waitMs: heldMs })
      : ({ at: submission, next: "submit" } satisfies Step)
  }
  // What it relied on may have gone between our look and the signer's own, which is no disagreement.
  const now = yield* admission(submission)
  if (now._tag === "fail") {
    // What was handed over may happen at any time, and holds its place until it has: it is only handed over again.
    return isUnsubmitted(submission)
      ? failing(submission, now.reason)
      : ({ at: submission, next: "submit" } satisfies Step)
  }
  yield* Effect.logError(defect.message)
  yield* signatureRefused(chainId)
  const step: Step = {
    at: { ...submission, reason: recordsDisagree },
    next: "wait",
    waitMs: deniedWaitMs
  }
  return step
})

const stepOf = Effect.fnUntraced(function* (claimed: Claimed, batch: AnyBatch) {
  const { submission } = claimed
  const { chainId } = submission
  if (isUnsubmitted(submission)) {
    const { signed, wallet } = submission.terms
    // What somebody else has signed, and what only the relayer does, moves no money of a wallet: it goes on while the
    // chains are read. On records that were replaced the relayer is somebody else's.
    const isOurs = wallet !== null && signed === null
    const [now, stopped] = yield* Effect.all(
      [admission(submission), isOurs ? whyStopped(chainId) : Effect.undefined],
      { concurrency: "unbounded" }
    )
    if (now._tag === "fail") return failing(submission, now.reason)
    if (now._tag === "wait") return waiting(submission, now)
    const held = isOurs ? ((yield* whyHeldOn(chainId)) ?? stopped) : yield* whyReplaced
    if (held !== undefined) return waiting(submission, { reason: held, waitMs: heldMs })
  }
  return yield* batch.step(claimed).pipe(
    Effect.catchTag("ChainUnavailable", () => Effect.succeed(away(submission))),
    Effect.catchDefect((defect) => denied(submission, defect))
  )
})

type Writing = Gather.Gathering<
  Stepped,
  Written | undefined,
  Effect.Services<ReturnType<typeof writeDown>>
>

/** A claimed submission, with the steps that it shares with others of its chain, and who writes them down. */
export interface Due extends Claimed {
  readonly batch: AnyBatch
  readonly writing: Writing
  /** It has come one step further: whoever waits for this turn's end has reason to. */
  readonly goOn: () => void
  /** It waits, has ended or was lost: whoever waits for this turn's end goes on without it. */
  readonly leave: Effect.Effect<void>
}

/** Takes one claimed submission on until it has to wait. */
export const advance = (due: Due) => {
  const { batch, goOn, lease, leave, writing } = due
  const going = Effect.gen(function* () {
    let written: Written = { submission: due.submission, next: "step" }
    while (written.next !== "wait" && written.next !== "close") {
      const { next, submission }: Written = written
      const step: Step = yield* next === "submit"
        ? batch.submit(submission)
        : stepOf({ lease, submission }, batch)
      const now: Written | undefined = yield* writing.ask(due, { lease, submission, batch, step })
      if (now === undefined) return "lost" as const
      goOn()
      written = now
    }
    return written.next === "wait" ? ("waiting" as const) : ("ended" as const)
  })
  return Effect.ensuring(going, Effect.andThen(leave, writing.leave(due)))
}

/** How long what is shared by those of a chain is good for. */
const sharedMs = 1000

/** How long a claim waits while none of those in hand comes one step further. */
const patience = Duration.millis(50)

/** How often its patience begins anew; they are through by then, or a chain is slow that others need not wait for. */
const mostPatient = 10

/** So many are worth a turn of their own, however many are in hand. */
const worthATurn = 8

/**
 * The submissions that are still being taken on. The next are claimed when those are through, so that what came meanwhile
 * goes together: on a busy machine a turn of many takes longer than one of few, and still less for each. As many as are in
 * hand, or worth a turn, do not wait for them: they go beside them, in a turn of their own.
 */
const makeTurn = () => {
  const inHand = new Set<object>()
  const mayBegin = Latch.makeUnsafe(true)
  let steps = 0
  let opened = 0
  const mayGoOn = () => Math.min(inHand.size, worthATurn) <= opened
  const looked = Effect.suspend(() => (mayGoOn() ? Effect.asVoid(mayBegin.open) : Effect.void))
  const standstill = Effect.gen(function* () {
    for (let at = 0; at < mostPatient; at++) {
      const before = steps
      yield* Effect.sleep(patience)
      if (steps === before) break
    }
    inHand.clear()
  })
  return {
    /** A claim is asked for, which finds what was opened before. */
    claiming: Effect.sync(() => {
      opened = 0
    }),
    enter: (all: ReadonlyArray<object>) => {
      for (const each of all) inHand.add(each)
      if (!mayGoOn()) mayBegin.closeUnsafe()
    },
    goOn: () => {
      steps += 1
    },
    /** So many more wait to be claimed. */
    open: (more: number) =>
      Effect.suspend(() => {
        opened += more
        return looked
      }),
    leave: (each: object) =>
      Effect.suspend(() => {
        inHand.delete(each)
        return looked
      }),
    /** Until all have left, none of them goes on, or as many more wait; one that hangs is waited for once. */
    over: Effect.suspend(() =>
      inHand.size === 0 ? Effect.void : Effect.raceFirst(mayBegin.await, standstill)
    )
  }
}

/** The steps of one chain. */
interface Known {
  readonly batch: AnyBatch
  readonly untilMs: number
}

/** Where submissions of this process meet: one place for each chain and turn. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const byChain = new Map<string, Known>()
  const turn = makeTurn()
  const told = yield* (yield* Notifier).listen("submissions")
  yield* Effect.forkScoped(Effect.forever(Effect.flatMap(told, turn.open)))

  const batchOf = Effect.fnUntraced(function* (chainId: string) {
    const known = byChain.get(chainId)
    const nowMs = yield* Clock.currentTimeMillis
    if (known !== undefined && nowMs < known.untilMs) return known.batch
    const batch = yield* (yield* submitterOf(chainId)).batch(chainId)
    byChain.set(chainId, { batch, untilMs: nowMs + sharedMs })
    return batch
  })

  /** Gives those of one chain the same steps, so that what they share is asked once and written together. */
  const inBatches = Effect.fnUntraced(function* (claimed: ReadonlyArray<Claimed>) {
    const chains = Map.groupBy(claimed, ({ submission }) => submission.chainId)
    const shared = new Map<string, Pick<Due, "batch" | "writing">>()
    for (const chainId of chains.keys()) {
      const writing = yield* Effect.provideService(Gather.make(writeDown), Scope.Scope, scope)
      shared.set(chainId, { batch: yield* batchOf(chainId), writing })
    }
    const due = claimed.map((each): Due => {
      const { batch, writing } = shared.get(each.submission.chainId) as Pick<
        Due,
        "batch" | "writing"
      >
      const leave = Effect.suspend(() => turn.leave(one))
      const one: Due = { ...each, batch, writing, goOn: turn.goOn, leave }
      writing.enter(one)
      return one
    })
    turn.enter(due)
    return due
  })

  /** Claims submissions that are due, at most so many, once those in hand are through with this turn. */
  const claim = Effect.fnUntraced(function* (most: number) {
    yield* turn.over
    yield* turn.claiming
    const now = yield* DateTime.now
    return yield* inBatches(yield* (yield* SubmissionStore).claim({ now, leaseMs: claimMs, most }))
  })

  return { ready: turn.over, claim, inBatches }
})
