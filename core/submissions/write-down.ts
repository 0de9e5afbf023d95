/**
 * Writes down what steps came to, those of one moment together: progress in one statement, ends with what they
 * mean in one transaction. Only while a lease is current is it its holder's say; one that fails, fails alone.
 */
import { DateTime, Effect, Exit } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Chains } from "../ports/chains.ts"
import { purposeOf } from "./purposes.ts"
import { isEnded, type Submission, ended as withoutNextLook } from "./submission.ts"
import { type Claimed, SubmissionStore, type Write } from "./submission-store.ts"
import type { AnyBatch, Step } from "./submitter.ts"

export const soonestMs = 2000

/** A claimed submission as it was, and what a step made of it. */
export interface Stepped extends Claimed {
  readonly batch: AnyBatch
  readonly step: Step
}

/** What is written down now, and what comes after. */
export interface Written {
  readonly submission: Submission
  readonly next: Step["next"]
}

/** Undefined when another worker holds the lease now. */
type Result = Written | undefined

const isLast = ({ next }: Step): boolean => next === "wait" || next === "close"

/** The submission as a step leaves it, with the time of its next look. */
const left = Effect.fnUntraced(function* (before: Submission, { at, next, waitMs }: Step) {
  const now = yield* DateTime.now
  // What is tidied up behind an end leaves the time of the end as it was.
  const updatedAt = isEnded(before) ? before.updatedAt : now
  if (next === "close") return withoutNextLook({ ...at, updatedAt })
  if (next !== "wait") return { ...at, updatedAt }
  const { connected } = yield* Chains
  const pollMs = connected.find(({ chain }) => chain.id === at.chainId)?.pollMs ?? soonestMs
  const milliseconds = waitMs ?? Math.min(pollMs, soonestMs)
  return { ...at, nextLookAt: DateTime.add(now, { milliseconds }), updatedAt }
})

const writeOf = Effect.fnUntraced(function* ({ lease, step, submission }: Stepped) {
  const write: Write = { lease, submission: yield* left(submission, step), isLast: isLast(step) }
  return write
})

const resultOf =
  (current: ReadonlyArray<string>) =>
  ({ lease, submission }: Write, { step }: Stepped): Result =>
    current.includes(lease) ? { submission, next: step.next } : undefined

const results = (
  current: ReadonlyArray<string>,
  writes: ReadonlyArray<Write>,
  all: ReadonlyArray<Stepped>
) => writes.map((write, at) => resultOf(current)(write, all[at] as Stepped))

const save = Effect.fnUntraced(function* (all: ReadonlyArray<Stepped>) {
  const writes = yield* Effect.forEach(all, writeOf)
  const store = yield* SubmissionStore
  return results(yield* store.save(writes), writes, all)
})

const byPurpose = (submissions: ReadonlyArray<Submission>) =>
  Map.groupBy(submissions, ({ purpose }) => purpose.name)

/** Writes ends down with what they mean; says which leases were current. */
export const end = Effect.fnUntraced(function* (ends: ReadonlyArray<Write>) {
  const store = yield* SubmissionStore
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      for (const [name, ended] of byPurpose(ends.map(({ submission }) => submission))) {
        yield* (yield* purposeOf(name)).lock(ended)
      }
      const current = yield* store.save(ends)
      const ours = ends.filter(({ lease }) => current.includes(lease))
      for (const [name, ended] of byPurpose(ours.map(({ submission }) => submission))) {
        yield* (yield* purposeOf(name)).ended(ended)
      }
      return current
    })
  )
})

const saveEnds = Effect.fnUntraced(function* (all: ReadonlyArray<Stepped>) {
  const writes = yield* Effect.forEach(all, writeOf)
  return results(yield* end(writes), writes, all)
})

/** Some leases were lost; what was taken for them is undone with the rest. */
class Lost {
  readonly _tag = "Lost"
  readonly current: ReadonlyArray<string>
  constructor(current: ReadonlyArray<string>) {
    this.current = current
  }
}

/** A family that asks for places gives them. */
const placesIn = ({ place }: AnyBatch, claimed: ReadonlyArray<Claimed>) =>
  place === undefined
    ? Effect.die(new Error("This family of chains has no order of its own."))
    : place(claimed)

/** Takes their places in the order of their family and writes them down, in one transaction. All are of one batch. */
const savePlaces = Effect.fnUntraced(function* (batch: AnyBatch, all: ReadonlyArray<Stepped>) {
  const store = yield* SubmissionStore
  const steps = yield* placesIn(
    batch,
    all.map(({ lease, step }) => ({ lease, submission: step.at }))
  )
  const stepped = all.map((each, at): Stepped => ({ ...each, step: steps[at] as Step }))
  const writes = yield* Effect.forEach(stepped, writeOf)
  const current = yield* store.save(writes)
  if (current.length < writes.length) return yield* Effect.fail(new Lost(current))
  return results(current, writes, stepped)
})

type Places = ReturnType<typeof savePlaces>

/** What each came to, by its lease. */
const placeBatch = (
  batch: AnyBatch,
  all: ReadonlyArray<Stepped>
): Effect.Effect<
  ReadonlyArray<readonly [string, Result]>,
  never,
  Effect.Services<Places> | Atomically
> =>
  all.length === 0
    ? Effect.succeed([])
    : Effect.gen(function* () {
        const placed = yield* (yield* Atomically).run(savePlaces(batch, all))
        return all.map(({ lease }, at) => [lease, placed[at]] as const)
      }).pipe(
        Effect.catch(({ current }) =>
          placeBatch(
            batch,
            all.filter(({ lease }) => current.includes(lease))
          )
        )
      )

/** Each batch by itself: who has a place in the order waits for nothing else that others hold. */
const place = Effect.fnUntraced(function* (all: ReadonlyArray<Stepped>) {
  const groups = [...Map.groupBy(all, ({ batch }) => batch)]
  const placed = yield* Effect.forEach(groups, ([batch, some]) => placeBatch(batch, some))
  const byLease = new Map(placed.flat())
  return all.map(({ lease }) => byLease.get(lease))
})

/** All together; when that fails, each by itself, so that what is wrong with one is its own. */
const apart = <R>(
  all: ReadonlyArray<Stepped>,
  work: (some: ReadonlyArray<Stepped>) => Effect.Effect<ReadonlyArray<Result>, never, R>
): Effect.Effect<ReadonlyArray<Exit.Exit<Result>>, never, R> =>
  all.length === 0
    ? Effect.succeed([])
    : Effect.gen(function* () {
        const done = yield* Effect.exit(work(all))
        if (Exit.isSuccess(done)) return done.value.map((each) => Exit.succeed(each))
        if (all.length === 1) return [Exit.failCause(done.cause)]
        return yield* Effect.forEach(all, (each) =>
          Effect.exit(Effect.map(work([each]), ([result]) => result))
        )
      })

type Kind = "end" | "place" | "progress" | "nothing"

const kindOf = ({ step, submission }: Stepped): Kind => {
  if (isEnded(step.at) && !isEnded(submission)) return "end"
  if (step.next === "place") return "place"
  return step.at === submission && !isLast(step) ? "nothing" : "progress"
}

const isToldDifferently = (before: Submission, after: Submission): boolean =>
  before.status !== after.status ||
  before.reason !== after.reason ||
  before.txIds.join() !== after.txIds.join()

/** Tells what is written down now; whoever misses it looks for themselves. */
const tell = Effect.fnUntraced(function* (
  all: ReadonlyArray<Stepped>,
  done: ReadonlyArray<Exit.Exit<Result>>
) {
  const told = done.flatMap((exit, at) => {
    const before = all[at]?.submission
    const after = Exit.isSuccess(exit) ? exit.value?.submission : undefined
    return before !== undefined && after !== undefined && isToldDifferently(before, after)
      ? [after]
      : []
  })
  for (const [name, group] of byPurpose(told)) yield* (yield* purposeOf(name)).progressed(group)
})

/** What each of them is told: what is written down of it now, that its lease is lost, or what went wrong. */
export const writeDown = Effect.fnUntraced(function* (all: ReadonlyArray<Stepped>) {
  const byKind = Map.groupBy(all, kindOf)
  const of = (kind: Kind) => byKind.get(kind) ?? []
  const done = new Map<Stepped, Exit.Exit<Result>>()
  const settle = (some: ReadonlyArray<Stepped>, exits: ReadonlyArray<Exit.Exit<Result>>) => {
    for (const [at, each] of some.entries()) done.set(each, exits[at] as Exit.Exit<Result>)
  }
  settle(
    of("nothing"),
    of("nothing").map(({ step, submission }) => Exit.succeed({ submission, next: step.next }))
  )
  settle(of("end"), yield* apart(of("end"), saveEnds))
  settle(of("place"), yield* apart(of("place"), place))
  settle(of("progress"), yield* apart(of("progress"), save))
  const exits = all.map((each) => done.get(each) as Exit.Exit<Result>)
  yield* tell(all, exits)
  return exits
})
