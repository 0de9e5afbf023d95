/**
 * The queue of tasks in memory. A task is a row: taken under a lease that its worker renews, deleted when
 * it is done, due again a while later when it failed, and at once when its worker was stopped.
 */
import { Cause, Clock, Effect, Exit, Layer, Schedule } from "effect"
import { Notifier } from "../../core/ports/notifier.ts"
import { type Task, Tasks } from "../../core/ports/tasks.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal } from "./table.ts"

interface Queued {
  readonly task: Task
  /** When it may be taken: when it is due, or when the lease on it ends. */
  readonly fromMs: number
  readonly failures: number
  readonly lease: number | null
}

const keyOf = ({ kind, row }: Task) => `${kind} ${row}`
const everywhere = "all"

const definition = define<Queued>()({
  name: "tasks",
  key: ({ task }) => keyOf(task),
  sorted: { due: { group: () => everywhere, at: ({ fromMs }) => fromMs } }
})

const leaseMs = 60_000
const longestWaitMs = 300_000

/** The wait after the first, second, … failure: one second, doubled each time, five minutes at most. */
const waitMs = (failures: number) => Math.min(longestWaitMs, 1000 * 2 ** Math.min(failures - 1, 20))

const make = Effect.gen(function* () {
  const store = yield* MemoryStore
  const notifier = yield* Notifier
  const tasks = store.table(definition)

  /** Changes a queued task, if it is still under this lease. */
  const underLease = (
    { lease, task }: Queued,
    change: (journal: Journal, queued: Queued) => void
  ) =>
    store.write((journal) => {
      const queued = tasks.get(keyOf(task))
      if (queued !== undefined && queued.lease === lease) change(journal, queued)
    })

  const claim = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    store.write((journal) => {
      const [first] = tasks.group("due", everywhere)
      if (first === undefined || first.fromMs > nowMs)
        return { waitMs: first && first.fromMs - nowMs }
      const taken = { ...first, fromMs: nowMs + leaseMs, lease: store.next("task lease") }
      tasks.replace(journal, taken)
      return { taken }
    })
  )

  const renewing = (taken: Queued) =>
    Clock.currentTimeMillis.pipe(
      Effect.flatMap((nowMs) =>
        underLease(taken, (journal, queued) =>
          tasks.replace(journal, { ...queued, fromMs: nowMs + leaseMs })
        )
      ),
      Effect.delay(leaseMs / 3),
      Effect.repeat(Schedule.forever),
      Effect.andThen(Effect.never)
    )

  const conclude = (taken: Queued, exit: Exit.Exit<unknown, unknown>) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      underLease(taken, (journal, queued) => {
        if (Exit.isSuccess(exit)) return tasks.delete(journal, keyOf(queued.task))
        const wasStopped = Cause.hasInterruptsOnly(exit.cause)
        const failures = queued.failures + (wasStopped ? 0 : 1)
        const fromMs = wasStopped ? nowMs : nowMs + waitMs(failures)
        tasks.replace(journal, { ...queued, failures, fromMs, lease: null })
      })
    ).pipe(Effect.andThen(notifier.signal("tasks")))

  const doing = <E, R>(taken: Queued, work: (task: Task) => Effect.Effect<void, E, R>) =>
    Effect.raceFirst(work(taken.task), renewing(taken)).pipe(
      Effect.onExit((exit) => conclude(taken, exit))
    )

  return Tasks.of({
    offer: (task) =>
      store
        .write((journal) => {
          if (tasks.get(keyOf(task)) !== undefined) return
          tasks.insert(journal, { task, fromMs: 0, failures: 0, lease: null })
        })
        .pipe(Effect.andThen(store.afterCommit(notifier.signal("tasks")))),
    take: Effect.fnUntraced(function* (work) {
      // Listening starts before the look, so that no task offered in between is missed.
      const wait = yield* notifier.listen("tasks")
      while (true) {
        const { taken, waitMs: untilDueMs } = yield* claim
        if (taken !== undefined) return yield* doing(taken, work)
        yield* untilDueMs === undefined ? wait : Effect.raceFirst(wait, Effect.sleep(untilDueMs))
      }
    }, Effect.scoped)
  })
})

export const layer: Layer.Layer<Tasks, never, MemoryStore | Notifier> = Layer.effect(Tasks, make)
