/**
 * A process that dies at one of the moments that matter: before or after any write of the records or any
 * step outside of them. Counting them first tells how many there are to die at.
 */
import { Effect, Layer } from "effect"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"

export interface Death {
  /** How many moments there were so far; each call has two, before it and after. */
  moments: number
  /** At which to die; never, when it is undefined. */
  at: number | undefined
}

class Died extends Error {}

/** Stores and chain as they are, to a process that may die around each call. */
export const mortal = (death: Death) => {
  const moment = Effect.suspend(() => {
    const isLast = death.moments === death.at
    death.moments += 1
    return isLast ? Effect.die(new Died(`died at ${death.at}`)) : Effect.void
  })
  const around =
    <Args extends ReadonlyArray<unknown>, A, E, R>(
      call: (...args: Args) => Effect.Effect<A, E, R>
    ) =>
    (...args: Args) =>
      Effect.andThen(
        moment,
        Effect.tap(call(...args), () => moment)
      )
  return Layer.mergeAll(
    Layer.effect(
      SubmissionStore,
      Effect.map(SubmissionStore, (book) => ({
        ...book,
        save: around(book.save)
      }))
    ),
    Layer.effect(
      Proposals,
      Effect.map(Proposals, (book) => ({ ...book, move: around(book.move) }))
    ),
    Layer.effect(
      EvmRelay,
      Effect.map(EvmRelay, (payouts) => ({
        ...payouts,
        authorize: around(payouts.authorize),
        wrap: around(payouts.wrap),
        broadcast: around(payouts.broadcast),
        trace: around(payouts.trace)
      }))
    )
  )
}
