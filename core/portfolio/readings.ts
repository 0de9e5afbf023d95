/**
 * Readings of accounts' wallets that callers share: an account is read by one of them at a time, whoever
 * asks for the same meanwhile gets the same, and what a long reading came to is kept with its time.
 */
import {
  Context,
  type DateTime,
  type Deferred,
  Effect,
  Fiber,
  FiberMap,
  Layer,
  Option,
  Semaphore
} from "effect"
import type { Totals } from "./totals.ts"

/** What is known of an account that has too many wallets to read them all in one call. */
export interface Kept {
  /** The last reading that came to its end, and when that was. */
  readonly whole: { readonly totals: Totals; readonly endedAt: DateTime.Utc } | undefined
  /** How far the one under way has come. */
  readonly soFar: Totals | undefined
  /** Is told once the one under way has taken as many steps as a call waits for. */
  readonly long: Deferred.Deferred<void> | undefined
}

/** Accounts remembered by one process; of more, the one that was longest not read is forgotten. */
const maxAccounts = 1000

const maxInBackground = 2

export class Readings extends Context.Service<
  Readings,
  {
    /** Runs work of this name unless it runs already, and goes on with it when the caller leaves. */
    readonly share: <A, R>(
      name: string,
      work: Effect.Effect<A, never, R>
    ) => Effect.Effect<A, never, R>
    /** Waits until nobody else reads from the account, so that one of many calls does at a time. */
    readonly inTurn: <A, E, R>(
      accountId: string,
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E, R>
    /** Waits for a place among the few readings that go on in the background of one process. */
    readonly inBackground: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    readonly kept: (accountId: string) => Kept
    readonly keep: (accountId: string, kept: Kept) => void
  }
>()("bursar/portfolio/Readings") {}

export const layer = Layer.effect(
  Readings,
  Effect.gen(function* () {
    const running = yield* FiberMap.make<string, unknown, never>()
    const begin = yield* FiberMap.runtime(running)()
    const background = Semaphore.makeUnsafe(maxInBackground)
    const turns = new Map<string, { readonly turn: Semaphore.Semaphore; users: number }>()
    const known = new Map<string, Kept>()
    return {
      share: <A, R>(name: string, work: Effect.Effect<A, never, R>) =>
        Effect.contextWith((context: Context.Context<R>) => {
          // Looked up and begun in one go, or two could begin the same.
          const fiber = Option.getOrElse(FiberMap.getUnsafe(running, name), () =>
            begin(name, Effect.provideContext(work, context))
          )
          // Work of one name has one kind of result.
          return Fiber.join(fiber) as Effect.Effect<A>
        }),
      inTurn: (accountId, work) =>
        Effect.suspend(() => {
          const entry = turns.get(accountId) ?? { turn: Semaphore.makeUnsafe(1), users: 0 }
          turns.set(accountId, entry)
          entry.users += 1
          return Effect.ensuring(
            entry.turn.withPermit(work),
            Effect.sync(() => {
              entry.users -= 1
              if (entry.users === 0) turns.delete(accountId)
            })
          )
        }),
      inBackground: background.withPermit,
      kept: (accountId) =>
        known.get(accountId) ?? { whole: undefined, soFar: undefined, long: undefined },
      keep: (accountId, kept) => {
        known.delete(accountId)
        known.set(accountId, kept)
        const [oldest] = known.keys()
        if (known.size > maxAccounts && oldest !== undefined) known.delete(oldest)
      }
    }
  })
)
