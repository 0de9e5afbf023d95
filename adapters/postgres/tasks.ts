/**
 * The queue of tasks on SQL: Effect's persisted queue in a table beside the records. An offer commits or
 * rolls back with the change that asks for it, and a task whose worker died is due again when its lock ends.
 */
import { Effect, Layer, Logger, Schedule, Schema } from "effect"
import * as PersistedQueue from "effect/persistence/PersistedQueue"
import { note } from "../../core/background/outage.ts"
import { kinds, type Task, Tasks } from "../../core/ports/tasks.ts"
import * as Defect from "./defect.ts"

const TaskItem = Schema.Struct({
  kind: Schema.Literals(kinds),
  row: Schema.String
})

/** About a day of tries before a task is set aside as failed, which keeps its row and its last error. */
const retries = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("5 minutes")])
const maxAttempts = 300

const isQueueError = (error: unknown): error is PersistedQueue.PersistedQueueError =>
  typeof error === "object" && error !== null && PersistedQueue.ErrorTypeId in error

/** The queue logs what fails by itself, twice a second: an outage is said as for all other work. */
const sayingOutagesOnce = Effect.gen(function* () {
  const loggers = yield* Logger.CurrentLoggers
  const say = Effect.runForkWith(yield* Effect.context<never>())
  return Logger.make((entry) => {
    const outage = Defect.outageIn(entry.cause)
    if (outage !== undefined) say(note(outage))
    else for (const logger of loggers) logger.log(entry)
  })
})

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
    // Its loops are begun by whoever takes first, and log as that one does.
    const loggers = yield* Logger.CurrentLoggers
    const queue = yield* PersistedQueue.make({
      name: "tasks",
      schema: TaskItem,
      maxAttempts: maxAttempts,
      retrySchedule: retries
    })
    return {
      offer: (task) =>
        queue.offer(task, { id: `${task.kind}:${task.row}` }).pipe(Defect.orDie, Effect.asVoid),

      take: <E, R>(work: (task: Task) => Effect.Effect<void, E, R>) =>
        queue
          .take((task) => work(task))
          .pipe(
            Effect.catch((error: E | PersistedQueue.PersistedQueueError) =>
              isQueueError(error) ? Effect.die(error) : Effect.fail(error)
            ),
            Effect.provideService(Logger.CurrentLoggers, loggers)
          )
    }
  })
).pipe(
  Layer.provide(Layer.merge(PersistedQueue.layer, cleanup)),
  Layer.provide(store),
  Layer.provide(Layer.unwrap(Effect.map(sayingOutagesOnce, (logger) => Logger.layer([logger]))))
)
