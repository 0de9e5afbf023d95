/**
 * What strangers read, kept for a second so that many who look at one thing cost one look. After that second
 * one of them has it read anew, and nobody waits for it. A change made in this process is seen at once.
 */
import { Cause, Clock, Context, Effect, Exit, Layer, type Scope } from "effect"
import { Notifier } from "../../core/ports/notifier.ts"

/** What is older is read anew. */
export const keptForMs = 1_000
/** What is older than this is shown to nobody, though it is being read. */
export const shownForMs = 3_000
export const maxKept = 1_000

interface Kept {
  readonly exit: Exit.Exit<unknown, unknown>
  readonly readAtMs: number
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

const make = (scope: Scope.Scope) => {
  const kept = new Map<string, Kept>()
  let changes = 0
  let isRenewing = false
  const find = (name: string, nowMs: number) => {
    const found = kept.get(name)
    if (found === undefined || nowMs - found.readAtMs < shownForMs) return found
    kept.delete(name)
    return undefined
  }
  const keep = (name: string, exit: Kept["exit"], readAtMs: number) => {
    kept.delete(name)
    const [earliest] = kept.size >= maxKept ? kept.keys() : []
    if (earliest !== undefined) kept.delete(earliest)
    kept.set(name, { exit, readAtMs })
  }
  const anew = Effect.fnUntraced(function* <A, E, R>(name: string, load: Effect.Effect<A, E, R>) {
    const nowMs = yield* Clock.currentTimeMillis
    const before = changes
    const exit = yield* Effect.exit(load)
    // What was read before a change must not be kept after it.
    if (before === changes && isTellable(exit)) keep(name, exit, nowMs)
    return yield* exit
  })
  // One at once: whoever has a lot of links looked at may not have them all read beside everybody's turn.
  const renew = <A, E, R>(name: string, load: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      if (isRenewing) return Effect.void
      isRenewing = true
      const renewed = Effect.ensuring(
        Effect.exit(anew(name, load)),
        Effect.sync(() => {
          isRenewing = false
        })
      )
      return Effect.forkIn(renewed, scope)
    })
  const read = Effect.fnUntraced(function* <A, E, R>(name: string, load: Effect.Effect<A, E, R>) {
    const nowMs = yield* Clock.currentTimeMillis
    const found = find(name, nowMs)
    if (found === undefined) return yield* anew(name, load)
    if (nowMs - found.readAtMs >= keptForMs) yield* renew(name, load)
    // What is kept by a name was read by an effect of that name, which has these types.
    return yield* found.exit as Exit.Exit<A, E>
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
    const { forget, read } = make(yield* Effect.scope)
    const notifier = yield* Notifier
    for (const topic of ["payments", "requests", "submissions"] as const) {
      const changed = yield* notifier.listen(topic)
      yield* Effect.forkScoped(Effect.forever(Effect.tap(changed, () => Effect.sync(forget))))
    }
    return { read }
  })
)
