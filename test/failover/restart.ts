/**
 * Every process on the promoted records is killed while sending is held, and one is started again: it goes on with the
 * same wait, which is not shorter for that.
 */
import { setTimeout } from "node:timers/promises"
import { longestSeconds } from "../../core/treasury/chain-steps.ts"
import { until } from "../kill/scene.ts"
import type { Pair } from "./servers.ts"

/** Restarts while sending was held, and those whose wait became shorter by that. */
export interface Tally {
  restarts: number
  shortened: number
}

export const empty = (): Tally => ({ restarts: 0, shortened: 0 })

export interface Wait {
  readonly number: number
  /** By chain. */
  readonly since: Readonly<Record<string, number>>
}

/** The wait as the promoted records have it, once it has begun for so many chains. */
export const waitOf = ({ onStandby }: Pair, chains: number) =>
  until("the wait has begun", async (): Promise<Wait | undefined> => {
    const [row] = await onStandby<{ line: string }>(
      "select sealed::text as line from key_material where name = 'records_timeline'"
    )
    const { held, number } = JSON.parse(row?.line ?? "{}")
    const since = held?.since ?? {}
    return Object.keys(since).length >= chains ? { number, since } : undefined
  })

/** Where processes wait out the life of what was signed. */
export interface Waiting<Process> {
  readonly pair: Pair
  readonly chains: number
  readonly passes: (seconds: number) => Promise<void>
  /** The time of the chain that is ahead, in seconds. */
  readonly now: () => Promise<number>
  /** Makes blocks until it has ended. */
  readonly whileMining: <A>(work: Promise<A>) => Promise<A>
  /** Kills every process that can reach the promoted records, and starts one. */
  readonly replace: () => Promise<Process>
  readonly isHeld: (process: Process) => Promise<boolean>
}

/** Twice this is less than the wait takes. */
const stepSeconds = 500
/** A wait that has ended is noticed, and the chain read, within this time. */
const noticedWithinMs = 4000

/** The process that was started; whether it held sending for as long as the one before was to is counted. */
export const restart = async <Process>(
  { chains, isHeld, now, pair, passes, replace, whileMining }: Waiting<Process>,
  tally: Tally
): Promise<Process> => {
  const before = await waitOf(pair, chains)
  await passes(stepSeconds)
  const next = await replace()
  const isHeldAtOnce = await isHeld(next)
  await passes(stepSeconds)
  await whileMining(setTimeout(noticedWithinMs))
  const isHeldLater = await isHeld(next)
  // On a slow machine blocks may have brought the chain to the end of the wait.
  if ((await now()) >= Math.min(...Object.values(before.since)) + longestSeconds) return next
  tally.restarts += 1
  const isSame =
    isHeldLater && JSON.stringify(await waitOf(pair, chains)) === JSON.stringify(before)
  if (!(isHeldAtOnce && isSame)) tally.shortened += 1
  return next
}

export const told = ({ restarts, shortened }: Tally): string =>
  `${restarts} restarts while sending was held and ${shortened} waits shorter for it`

export const holds = ({ restarts, shortened }: Tally): boolean => restarts > 0 && shortened === 0
