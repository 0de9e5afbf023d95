/**
 * What strangers read, kept for a second so that many who look at one thing cost one look. A change made
 * in this process is seen at once; one made in another, within that second.
 */
import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { Notifier } from "../../core/ports/notifier.ts"

export const keptForMs = 1_000
export const maxKept = 1_000

interface Kept {
  readonly exit: Exit.Exit<unknown, unknown>
  readonly untilMs: number
}

export class RecentReads extends Context.Service<
  RecentReads,
  {
    /** Reads what is kept by a name, or reads anew; refusals are kept too, defects are not. */
    readonly read: <A, E, R>(name: string, load: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  }
>()("bursar/http/RecentReads") {}

const isTellable = (exit: Exit.Exit<unknown, unknown>) =>
  Exit.isSuccess(exit) || exit.cause.reasons.every(Cause.isFailReason)

const make = () => {
  const kept = new Map<string, Kept>()
  let changes = 0
  const find = (name: string, nowMs: number) => {
    const found = kept.get(name)
    if (found === undefined || found.untilMs > nowMs) return found
    kept.delete(name)
    return undefined
  }
  const keep = (name: string, exit: Kept["exit"], nowMs: number) => {
    const [earliest] = kept.size >= maxKept ? kept.keys() : []
    if (earliest !== undefined) kept.delete(earliest)
    kept.set(name, { exit, untilMs: nowMs + keptForMs })
  }
  const read = Effect.fnUntraced(function* <A, E, R>(name: string, load: Effect.Effect<A, E, R>) {
    const nowMs = yield* Clock.currentTimeMillis
    const found = find(name, nowMs)
    // What is kept by a name was read by an effect of that name, which has these types.
    if (found !== undefined) return yield* found.exit as Exit.Exit<A, E>
    const before = changes
    const exit = yield* Effect.exit(load)
    // What was read before a change must not be kept after it.
    if (before === changes && isTellable(exit)) keep(name, exit, nowMs)
    return yield* exit
  })
  const forget = () => {
    changes += 1
    kept.clear()
  }
  return { read, forget }
}

export const layer = Layer.effect(
  RecentReads,
  Effect.gen(function* () {
    const { forget, read } = make()
    const notifier = yield* Notifier
    for (const topic of ["payments", "requests", "submissions"] as const) {
      const changed = yield* notifier.listen(topic)
      yield* Effect.forkScoped(Effect.forever(Effect.tap(changed, () => Effect.sync(forget))))
    }
    return { read }
  })
)
