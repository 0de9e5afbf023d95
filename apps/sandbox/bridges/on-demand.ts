/**
 * Begins the second chain and what carries tokens between the chains when somebody first asks for it. Until then the
 * treasury is connected to the other chains alone; what an earlier run had begun is there from the start.
 */
import { Cause, Deferred, Effect, Exit, Fiber, Scope } from "effect"
import { BridgesNotBegun } from "../../../core/ports/bridge.ts"
import type { Chains } from "../../../core/ports/chains.ts"
import type { ChainNotStarted } from "../chain-not-started.ts"

/** How long who asks waits for it. */
const patience = "15 seconds"
const retryAfterSeconds = 5

const notBegun = (detail: string) => new BridgesNotBegun({ detail, retryAfterSeconds })

const starting = "The sandbox's second chain and its bridges are starting."

const reasonOf = (cause: Cause.Cause<ChainNotStarted>): string => {
  const thrown = Cause.squash(cause)
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** Begins once, for as long as the scope lives. What fails leaves nothing behind, and whoever asks next begins anew. */
export const make = Effect.fnUntraced(function* (
  begin: Effect.Effect<void, ChainNotStarted, Scope.Scope>
) {
  const scope = yield* Effect.scope
  const begun = yield* Deferred.make<void>()
  let hasBegun = false
  let beginning: Fiber.Fiber<void, BridgesNotBegun> | undefined
  /** Why the last beginning failed; whoever waits too long for the next one is told. */
  let failure = ""

  const once = Effect.gen(function* () {
    const own = yield* Scope.fork(scope)
    const exit = yield* Effect.exit(Scope.provide(begin, own))
    if (Exit.isFailure(exit)) {
      failure = reasonOf(exit.cause)
      yield* Effect.logError(`The sandbox's second chain and its bridges did not start: ${failure}`)
      yield* Scope.close(own, exit)
      // Only now, as what it held, such as its port, is free again.
      beginning = undefined
      return yield* notBegun(failure)
    }
    hasBegun = true
    yield* Deferred.succeed(begun, undefined)
  })

  const asked = Effect.suspend(() =>
    beginning === undefined
      ? Effect.tap(Effect.forkIn(once, scope), (fiber) =>
          Effect.sync(() => {
            beginning = fiber
          })
        )
      : Effect.succeed(beginning)
  )

  /** Begins it unless it has begun, and waits a while for it. */
  const wait = Effect.suspend(() =>
    hasBegun
      ? Effect.void
      : Effect.flatMap(asked, Fiber.join).pipe(
          Effect.timeoutOrElse({
            duration: patience,
            orElse: () =>
              Effect.fail(
                notBegun(
                  failure === "" ? starting : `${starting} The last time they did not: ${failure}`
                )
              )
          })
        )
  )

  /** The connected chains, without one until it has begun. */
  const hiding = (chains: Chains["Service"], chainId: string): Chains["Service"] => {
    const others = chains.connected.filter(({ chain }) => chain.id !== chainId)
    return {
      ...chains,
      get connected() {
        return hasBegun ? chains.connected : others
      }
    }
  }

  /** What goes on from then on; nothing where it has begun by now. */
  const thereafter = <R>(work: Effect.Effect<void, never, R>) =>
    Effect.suspend(() =>
      hasBegun
        ? Effect.void
        : Effect.asVoid(Effect.forkScoped(Deferred.await(begun).pipe(Effect.andThen(work))))
    )

  /** Begins it before anybody asks. What fails is logged, and whoever asks begins it anew. */
  const now = Effect.flatMap(asked, Fiber.await)

  return { hiding, isThere: () => hasBegun, now, thereafter, wait }
})

export type OnDemand = Effect.Success<ReturnType<typeof make>>
