/**
 * The queue of tasks on SQL: Effect's persisted queue in a table beside the records. An offer commits or
 * rolls back with the change that asks for it, and a task whose worker died is due again when its lock ends.
 */
import { Effect, Layer, Schedule, Schema } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { kinds, type Task, Tasks } from "../../core/ports/tasks.ts"

const TaskItem = Schema.Struct({
  kind: Schema.Literals(kinds),
  row: Schema.String
})

/** About a day of tries before a task is set aside as failed, which keeps its row and its last error. */
const retries = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("5 minutes")])
const maxAttempts = 300

const isQueueError = (error: unknown): error is PersistedQueue.PersistedQueueError =>
  typeof error === "object" && error !== null && PersistedQueue.ErrorTypeId in error

const store = PersistedQueue.layerStoreSql({
  tableName: "task",
  pollInterval: "500 millis",
  lockExpiration: "30 seconds",
  lockRefreshInterval: "10 seconds"
})

const cleanup = PersistedQueue.layerCleanup({ interval: "1 hour", timeToLive: "7 days" })

export const layer = Layer.effect(
  Tasks,
  Effect.gen(function* () {
    const queue = yield* PersistedQueue.make({
      name: "tasks",
      schema: TaskItem,
      maxAttempts: maxAttempts,
      retrySchedule: retries
    })
    return {
      offer: (task) =>
        queue.offer(task, { id: `${task.kind}:${task.row}` }).pipe(Effect.orDie, Effect.asVoid),

      take: <E, R>(work: (task: Task) => Effect.Effect<void, E, R>) =>
        queue
          .take((task) => work(task))
          .pipe(
            Effect.catch((error: E | PersistedQueue.PersistedQueueError) =>
              isQueueError(error) ? Effect.die(error) : Effect.fail(error)
            )
          )
    }
  })
).pipe(Layer.provide(Layer.merge(PersistedQueue.layer, cleanup)), Layer.provide(store))
