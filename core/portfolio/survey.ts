/**
 * Reads all wallets of an account, however many, in steps that leave room for everybody else, and keeps
 * what that came to. A call waits for it a moment at most, and is told of which time its totals are.
 */
import { DateTime, Deferred, Duration, Effect } from "effect"
import type * as Page from "../operation/page.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { read } from "./read.ts"
import { type Kept, Readings } from "./readings.ts"
import { and, nothing, type Totals } from "./totals.ts"

/** How many wallets are read at once: what else comes to this process waits for that long. */
const walletsPerStep = 250

/** So many steps are waited for, and go on without a rest; of whoever has more wallets nothing says how many. */
const stepsAwaited = 5

/** Totals so young are as good as new ones. */
const fresh = Duration.seconds(10)

/** Between two readings of one account lies this much more time than a reading takes. */
const restFactor = 10

/** How long a call waits at most for the reading under way before it is told what was known before. */
const patience = Duration.seconds(2)

/** Totals older than this are said to be stale. */
const staleAfter = Duration.minutes(1)

/** As long as the step took: a page that is opened meanwhile meets this process at rest as often as at work. */
const rest = (since: DateTime.Utc) =>
  Effect.flatMap(DateTime.now, (now) => {
    const took = DateTime.distance(since, now)
    return Duration.isPositive(took) ? Effect.sleep(took) : Effect.void
  })

const surveyed = Effect.fnUntraced(function* (accountId: string) {
  const readings = yield* Readings
  const book = yield* Wallets
  let totals = nothing(yield* DateTime.now)
  let after: Page.Position | undefined
  let steps = 0
  do {
    const beganAt = yield* DateTime.now
    const request = { limit: walletsPerStep, ...(after === undefined ? {} : { after }) }
    const page = yield* book.list(accountId, {}, request)
    // A chain that is away would only be asked in vain again.
    const wallets = page.rows.filter(({ chainId }) => !totals.unavailable.includes(chainId))
    if (wallets.length > 0) {
      // In a row of its own: a call that reads a page of wallets meanwhile does not wait for a step of this.
      totals = and(totals, yield* readings.inBackground(read(wallets)))
    }
    readings.keep(accountId, { ...readings.kept(accountId), soFar: totals })
    after = page.next
    steps += 1
    if (after === undefined || steps < stepsAwaited) continue
    const { long } = readings.kept(accountId)
    if (long !== undefined) Deferred.doneUnsafe(long, Effect.void)
    yield* rest(beganAt)
  } while (after !== undefined)
  const whole = { totals: { ...totals, isComplete: true }, endedAt: yield* DateTime.now }
  readings.keep(accountId, { whole, soFar: undefined, long: undefined })
})

const isDue = (
  { endedAt, totals }: { totals: Totals; endedAt: DateTime.Utc },
  now: DateTime.Utc
) => {
  const took = DateTime.distance(totals.asOf, endedAt)
  const rest = Duration.max(fresh, Duration.times(took, restFactor))
  return Duration.isGreaterThanOrEqualTo(DateTime.distance(endedAt, now), rest)
}

/**
 * How long to wait for the reading under way: as long as it may end in that time. One whose last run took longer, or
 * that goes on for longer already, keeps nobody waiting.
 */
const waitFor = ({ soFar, whole }: Kept, now: DateTime.Utc): Duration.Duration => {
  const took =
    whole === undefined ? Duration.zero : DateTime.distance(whole.totals.asOf, whole.endedAt)
  if (Duration.isGreaterThan(took, patience)) return Duration.zero
  const since = soFar === undefined ? Duration.zero : DateTime.distance(soFar.asOf, now)
  return Duration.subtract(patience, Duration.min(since, patience))
}

/** The totals of the last reading of all wallets; of the part read so far while there is none. */
export const survey = Effect.fnUntraced(function* (accountId: string) {
  const readings = yield* Readings
  const now = yield* DateTime.now
  const known = readings.kept(accountId)
  const { whole } = known
  if (whole === undefined || isDue(whole, now)) {
    const long = known.long ?? Deferred.makeUnsafe<void>()
    readings.keep(accountId, { ...known, long })
    yield* readings
      .share(`${accountId} all`, surveyed(accountId))
      .pipe(Effect.raceFirst(Deferred.await(long)), Effect.timeoutOption(waitFor(known, now)))
  }
  const kept = readings.kept(accountId)
  const totals = kept.whole?.totals ?? kept.soFar ?? nothing(now)
  const age = DateTime.distance(totals.asOf, yield* DateTime.now)
  const isOld = Duration.isGreaterThan(age, staleAfter)
  return { ...totals, stale: totals.stale || isOld || !totals.isComplete }
})
