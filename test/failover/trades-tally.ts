/** What failovers under trades came to, in words, and whether all held that must. */
import * as Load from "./load.ts"
import * as Restart from "./restart.ts"

/** What a round, or all of them, came to. */
export interface Tally {
  rounds: number
  forgotten: number
  twice: number
  undone: number
  /** Not made, as nobody knew any more what was left of their day's cap. */
  putOff: number
  /** What a process on the old records answered when it was to begin a trade: that it is fenced, or anything else. */
  fenced: number
  unfenced: number
  /** Made before the records were lost, and told as made by those that had forgotten them. */
  recovered: number
  /** By how much more was sold in a day than its cap allows. */
  overMicro: bigint
  readonly load: Load.Tally
  readonly restarted: Restart.Tally
  durable: number
  brokenPromises: number
}

export const empty = (): Tally => ({
  rounds: 0,
  forgotten: 0,
  twice: 0,
  undone: 0,
  putOff: 0,
  fenced: 0,
  unfenced: 0,
  recovered: 0,
  overMicro: 0n,
  load: Load.empty(),
  restarted: Restart.empty(),
  durable: 0,
  brokenPromises: 0
})

export const told = (tally: Tally): string =>
  `${tally.rounds} failovers, ${tally.forgotten} trades forgotten: ${tally.twice} made twice, ${tally.undone} not made or not told, ${tally.putOff} put off to the next day, ${tally.recovered} found on the chain, ${tally.overMicro} micro over the cap, ${tally.fenced} old processes that said that they were fenced and ${tally.unfenced} that did not, ${Load.told(tally.load, "trades")}, ${Restart.told(tally.restarted)}, ${tally.durable} cancelled for sure and ${tally.brokenPromises} of them undone`

export const holds = (tally: Tally): boolean =>
  tally.rounds > 0 &&
  tally.durable >= tally.rounds &&
  Restart.holds(tally.restarted) &&
  Load.holds(tally.load, tally.rounds) &&
  // A round in which nothing was forgotten proves nothing, nor does one in which no old process was asked.
  tally.recovered >= tally.rounds &&
  tally.fenced >= tally.rounds / 2 &&
  tally.twice + tally.undone + tally.unfenced + tally.brokenPromises === 0 &&
  tally.overMicro === 0n
