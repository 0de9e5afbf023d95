/** What failovers under sends came to, in words, and whether all held that must. */
import * as Customers from "./customers.ts"
import * as Load from "./load.ts"
import * as Restart from "./restart.ts"
import * as Takings from "./takings.ts"

/** What a round, or all of them, came to. */
export interface Tally {
  rounds: number
  forgotten: number
  twice: number
  unpaid: number
  overMicro: bigint
  /** Forgotten sends that were paid before the promotion, and those of them whose fees are in no cap of fees after it. */
  carried: number
  feesForgotten: number
  addressesTwice: number
  addressesChanged: number
  /** What a process on the old records answered when it was to send: that it is fenced, or anything else. */
  fenced: number
  unfenced: number
  recovered: number
  readonly restarted: Restart.Tally
  readonly load: Load.Tally
  readonly customers: Customers.Tally
  readonly taken: Takings.Tally
  heldMinutes: number
}

export const empty = (): Tally => ({
  rounds: 0,
  forgotten: 0,
  twice: 0,
  unpaid: 0,
  overMicro: 0n,
  carried: 0,
  feesForgotten: 0,
  addressesTwice: 0,
  addressesChanged: 0,
  fenced: 0,
  unfenced: 0,
  recovered: 0,
  restarted: Restart.empty(),
  load: Load.empty(),
  customers: Customers.empty(),
  taken: Takings.empty(),
  heldMinutes: 0
})

export const told = (tally: Tally): string =>
  `${tally.rounds} failovers, ${tally.forgotten} sends forgotten: ${tally.twice} paid twice, ${tally.unpaid} not paid, ${tally.recovered} found on the chain, ${tally.overMicro} micro over the cap, ${tally.feesForgotten} of ${tally.carried} that were paid with fees in no cap, ${tally.addressesTwice} addresses given out twice, ${tally.addressesChanged} changed, ${tally.fenced} old processes that said that they were fenced and ${tally.unfenced} that did not, ${Load.told(tally.load, "sends")}, ${Restart.told(tally.restarted)}, ${Customers.told(tally.customers)}, ${Takings.told(tally.taken)}; ${(tally.heldMinutes / Math.max(1, tally.rounds)).toFixed(0)} minutes without sending each`

export const holds = (tally: Tally): boolean =>
  tally.rounds > 0 &&
  Takings.holds(tally.taken, tally.rounds) &&
  Customers.holds(tally.customers, tally.rounds) &&
  Restart.holds(tally.restarted) &&
  Load.holds(tally.load, tally.rounds) &&
  // A round in which nothing was forgotten proves nothing, nor does one in which no old process was asked.
  tally.recovered >= tally.rounds &&
  tally.fenced >= tally.rounds / 2 &&
  tally.twice +
    tally.unpaid +
    tally.feesForgotten +
    tally.addressesTwice +
    tally.addressesChanged +
    tally.unfenced ===
    0 &&
  tally.overMicro === 0n
