/**
 * Planted bugs: what a core would do that had made the mistake, put on from outside over its ports. The
 * code under test has no switch for any of them.
 */
import { DateTime, Effect, Layer } from "effect"
import type { Transfer } from "../../core/payments/transfer.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Audit } from "../../core/ports/audit.ts"
import { Courier, type Parcel } from "../../core/ports/courier.ts"
import { type Cursor, Cursors } from "../../core/ports/cursors.ts"
import { type Claimed, Deliveries } from "../../core/ports/deliveries.ts"
import { Events } from "../../core/ports/events.ts"
import { Idempotency } from "../../core/ports/idempotency.ts"
import { Ids } from "../../core/ports/ids.ts"
import { type Task, Tasks } from "../../core/ports/tasks.ts"
import { Transfers } from "../../core/ports/transfers.ts"
import type { Bug } from "./bug.ts"
import type { Ports, Wired } from "./ports.ts"

/** The wired process with one port made anew from what is there. */
const over = <Id extends Ports>(wired: Wired, made: Layer.Layer<Id, never, Ports>): Wired =>
  Layer.merge(wired, Layer.provide(made, wired))

const markedBeforePost: Bug = {
  name: "delivery marked before the POST",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Deliveries,
        Effect.gen(function* () {
          const deliveries = yield* Deliveries
          const mark = ({ delivery, lease }: Claimed) =>
            Effect.flatMap(DateTime.now, (now) =>
              deliveries.conclude(
                lease,
                {
                  ...delivery,
                  status: "delivered",
                  attemptCount: delivery.attemptCount + 1,
                  nextAttemptAt: null,
                  deliveredAt: now
                },
                {
                  n: delivery.attemptCount + 1,
                  at: now,
                  trigger: "scheduled",
                  durationMs: 0,
                  responseStatus: null,
                  responseBodyTruncated: null,
                  error: null
                }
              )
            )
          return {
            ...deliveries,
            claim: (claim) =>
              Effect.tap(deliveries.claim(claim), (claimed) => Effect.forEach(claimed, mark))
          }
        })
      )
    )
}

const auditOutside: Bug = {
  name: "audit entry outside of the transaction",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Audit,
        Effect.gen(function* () {
          const [audit, atomically] = [yield* Audit, yield* Atomically]
          return { ...audit, append: (entry) => atomically.afterCommit(audit.append(entry)) }
        })
      )
    )
}

const expiryByWallClock: Bug = {
  name: "expiry judged by the wall clock, racing settlement",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Cursors,
        Effect.map(Cursors, (cursors) => {
          const hasPassed = (cursor: Cursor) =>
            Effect.map(DateTime.now, (finalTime) => ({ ...cursor, finalTime }))
          return {
            ...cursors,
            all: Effect.flatMap(cursors.all, (all) => Effect.forEach(all, hasPassed)),
            find: (chainId) =>
              Effect.flatMap(cursors.find(chainId), (cursor) =>
                cursor === undefined ? Effect.succeed(cursor) : hasPassed(cursor)
              )
          }
        })
      )
    )
}

/** Neither the cursor is compared nor the log of a transfer unique. */
const noDedupe: Bug = {
  name: "no dedupe of transfers",
  plant: (wired) => {
    const recording = Layer.effect(
      Transfers,
      Effect.map(Transfers, (transfers) => {
        const record = (transfer: Transfer): ReturnType<typeof transfers.record> =>
          Effect.flatMap(transfers.record(transfer), (recorded) =>
            recorded.outcome === "known"
              ? record({ ...transfer, logIndex: transfer.logIndex + 1000 })
              : Effect.succeed(recorded)
          )
        return { ...transfers, record }
      })
    )
    const moving = Layer.effect(
      Cursors,
      Effect.map(Cursors, (cursors) => ({
        ...cursors,
        move: (_, to) =>
          Effect.flatMap(cursors.find(to.chainId), (cursor) =>
            cursors.move(cursor?.blocks.at(-1)?.hash ?? "", to)
          )
      }))
    )
    return over(over(wired, recording), moving)
  }
}

const answerOutside: Bug = {
  name: "idempotency answer outside of the transaction",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Idempotency,
        Effect.gen(function* () {
          const [idempotency, atomically] = [yield* Idempotency, yield* Atomically]
          return {
            ...idempotency,
            answer: (slot, holder, answer) =>
              Effect.as(
                atomically.afterCommit(Effect.asVoid(idempotency.answer(slot, holder, answer))),
                true
              )
          }
        })
      )
    )
}

const cursorBeforeTransfers: Bug = {
  name: "cursor moved before its transfers, in a transaction of its own",
  plant: (wired, world) => {
    // What was moved in a transaction that is then undone stays moved, as if it had committed before.
    const moved = new Map<object, Cursor>()
    let running: object | undefined
    const moving = Layer.effect(
      Cursors,
      Effect.map(Cursors, (cursors) => ({
        ...cursors,
        move: (from, to) =>
          Effect.tap(cursors.move(from, to), (isMoved) =>
            Effect.sync(() => {
              if (isMoved && running !== undefined) moved.set(running, to)
            })
          )
      }))
    )
    const atomically = Layer.effect(
      Atomically,
      Effect.map(Atomically, (each) => ({
        ...each,
        run: (work) =>
          Effect.suspend(() => {
            const mine = {}
            const marked = Effect.suspend(() => {
              running = mine
              return work
            })
            return Effect.onExit(each.run(marked), (exit) => {
              const to = moved.get(mine)
              return exit._tag === "Failure" && to !== undefined
                ? world.books.replace("cursors", to)
                : Effect.void
            })
          })
      }))
    )
    return over(over(wired, moving), atomically)
  }
}

const staleLease: Bug = {
  name: "a stale lease may conclude",
  plant: (wired, world) =>
    over(
      wired,
      Layer.effect(
        Deliveries,
        Effect.map(Deliveries, (deliveries) => ({
          ...deliveries,
          conclude: (lease, delivery, attempt) =>
            Effect.flatMap(deliveries.conclude(lease, delivery, attempt), (isConcluded) => {
              const kept = world.books.get("deliveries", delivery.id)
              if (isConcluded || kept === undefined) return Effect.succeed(isConcluded)
              const attempts = [...kept.attempts, attempt]
              return Effect.as(
                world.books.replace("deliveries", { delivery, attempts, lease: null }),
                true
              )
            })
        }))
      )
    )
}

const forgetfulReorganisation: Bug = {
  name: "a reorganisation forgets to recompute",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Transfers,
        Effect.map(Transfers, (transfers) => ({
          ...transfers,
          drop: (chainId, above) => Effect.as(transfers.drop(chainId, above), [])
        }))
      )
    )
}

const eventAfterCommit: Bug = {
  name: "event and deliveries written after the commit",
  plant: (wired) => {
    const appending = Layer.effect(
      Events,
      Effect.gen(function* () {
        const [events, atomically] = [yield* Events, yield* Atomically]
        return { ...events, append: (event) => atomically.afterCommit(events.append(event)) }
      })
    )
    const queueing = Layer.effect(
      Deliveries,
      Effect.gen(function* () {
        const [deliveries, atomically] = [yield* Deliveries, yield* Atomically]
        return {
          ...deliveries,
          enqueue: (queued) => atomically.afterCommit(deliveries.enqueue(queued))
        }
      })
    )
    return over(over(wired, appending), queueing)
  }
}

const guessing: Bug = {
  name: "of equal requests the first is taken",
  plant: (wired, world) =>
    over(
      wired,
      Layer.effect(
        Transfers,
        Effect.map(Transfers, (transfers) => ({
          ...transfers,
          record: (transfer) => {
            const [pid] = transfer.candidatePids
            const meant = world.books.all("payment requests").find((each) => each.pid === pid)
            return transfers.record(
              transfer.settlementIssue === "ambiguous" && meant !== undefined
                ? { ...transfer, requestId: meant.id, settlementIssue: "none", candidatePids: [] }
                : transfer
            )
          }
        }))
      )
    )
}

const staleTimestamp: Bug = {
  name: "a retry keeps the first attempt's timestamp",
  plant: (wired, world) => {
    const first = new Map<string, Parcel["headers"]>()
    return over(
      wired,
      Layer.effect(
        Courier,
        Effect.map(Courier, (courier) => ({
          ...courier,
          carry: (parcel) => {
            const of = `${world.seed} ${parcel.url} ${parcel.headers["svc-webhook-id"]}`
            const headers = first.get(of) ?? parcel.headers
            first.set(of, headers)
            return courier.carry({ ...parcel, headers })
          }
        }))
      )
    )
  }
}

const taskBeforeWork: Bug = {
  name: "a task is struck off before its work is done",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Tasks,
        Effect.map(Tasks, (tasks) => ({
          ...tasks,
          take: (work) =>
            Effect.suspend(() => {
              let taken: Task | undefined
              const strike = tasks.take((task) =>
                Effect.sync(() => {
                  taken = task
                })
              )
              return Effect.andThen(
                strike,
                Effect.suspend(() => (taken === undefined ? Effect.void : work(taken)))
              )
            })
        }))
      )
    )
}

const hastyRetry: Bug = {
  name: "retries wait a third less than the schedule",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Ids,
        Effect.map(Ids, (ids) => ({
          ...ids,
          fraction: Effect.map(ids.fraction, (fraction) => fraction / 3 - 0.4)
        }))
      )
    )
}

export const bugs: ReadonlyArray<Bug> = [
  markedBeforePost,
  auditOutside,
  expiryByWallClock,
  noDedupe,
  answerOutside,
  cursorBeforeTransfers,
  staleLease,
  forgetfulReorganisation,
  eventAfterCommit,
  guessing,
  staleTimestamp,
  taskBeforeWork,
  hastyRetry
]
