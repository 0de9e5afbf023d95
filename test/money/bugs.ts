/** Mistakes somebody could make about caps, planted from outside by what the ledger's port then does. */
import { Effect, Layer } from "effect"
import * as Usd from "../../core/money/usd.ts"
import { evaluate, type Limits } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import type { Bug } from "./settings.ts"

const boundless = Usd.make(10n ** 17n)
const none: Limits = {
  perTransferMicro: boundless,
  dailyMicro: boundless,
  monthlyMicro: boundless,
  hardCapMicro: boundless
}

/** The sum is read and judged before the account's row is locked. */
const judgedOutside = (spending: Spending["Service"]): Spending["Service"] => ({
  ...spending,
  ahead: () => Effect.void,
  reserve: Effect.fnUntraced(function* (reservation, limits) {
    const used = yield* spending.used(reservation.accountId, reservation.windows)
    const verdicts = evaluate(limits, used, reservation.amountMicro)
    return verdicts.every(({ passes }) => passes)
      ? yield* spending.reserve(reservation, none)
      : { _tag: "over", verdicts }
  })
})

/** What was spent is given back too. */
const releasedToo = (spending: Spending["Service"]): Spending["Service"] => ({
  ...spending,
  consume: spending.release
})

const plants: Readonly<Record<Bug, (spending: Spending["Service"]) => Spending["Service"]>> = {
  "judged outside of the lock": judgedOutside,
  "given back when spent": releasedToo,
  // Planted where the records are opened: these know of one line of history only.
  "signs at once": (spending) => spending,
  // Planted where a standby is asked about.
  "says that a standby has it": (spending) => spending
}

/** The ledger with the mistake in it. */
export const plant = <E, R>(bug: Bug | undefined, layer: Layer.Layer<Spending, E, R>) =>
  Layer.effect(
    Spending,
    Effect.map(Spending, (spending) => (bug === undefined ? spending : plants[bug](spending)))
  ).pipe(Layer.provide(layer))
