/** Mistakes about what commits together: the change, its audit entry, its event, its answer and its task. */
import { Effect, Layer } from "effect"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { type Task, Tasks } from "../../../core/ports/tasks.ts"
import { Deliveries, Events } from "../../../core/webhooks/delivery-store.ts"
import { type Bug, over } from "./bug.ts"

export const auditOutside: Bug = {
  name: "audit entry outside of the transaction",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Audit,
        Effect.gen(function* () {
          const [audit, atomically] = [yield* Audit, yield* Atomically]
          return { ...audit, append: (entries) => atomically.afterCommit(audit.append(entries)) }
        })
      )
    )
}

export const answerOutside: Bug = {
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

export const eventAfterCommit: Bug = {
  name: "event and deliveries written after the commit",
  plant: (wired) => {
    const appending = Layer.effect(
      Events,
      Effect.gen(function* () {
        const [events, atomically] = [yield* Events, yield* Atomically]
        return {
          ...events,
          append: (added) =>
            Effect.as(
              atomically.afterCommit(Effect.asVoid(events.append(added))),
              new Set(added.map(({ id }) => id))
            )
        }
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

export const taskBeforeWork: Bug = {
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
