/**
 * What a load came to: every event that was committed, against what arrived at the merchants. A loss is a
 * committed event that never arrived; a duplicate is an arrival beyond the first of its event.
 */
import type { Scene } from "./scene.ts"
import type { Committed } from "./settings.ts"

export interface Verdict {
  readonly committed: number
  readonly lost: number
  readonly duplicates: number
  readonly rejected: number
  /** Rows out of step: gaps in sequences, miscounted attempts, events without a delivery. */
  readonly contradictions: number
  /** From the commit to the first arrival, in milliseconds, shortest first. */
  readonly delaysMs: ReadonlyArray<number>
}

export const quantile = (sorted: ReadonlyArray<number>, fraction: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN

export const verdict = async (
  { records, receiver }: Scene,
  committed: ReadonlyArray<Committed>
): Promise<Verdict> => {
  const firstAtMs = new Map<string, number>()
  for (const { atMs, eventId } of receiver.arrivals) {
    if (!firstAtMs.has(eventId)) firstAtMs.set(eventId, atMs)
  }
  const arrived = committed.flatMap(({ atMs, eventId }) => {
    const first = firstAtMs.get(eventId)
    return first === undefined ? [] : [Math.max(0, first - atMs)]
  })
  return {
    committed: committed.length,
    lost: committed.length - arrived.length,
    duplicates: receiver.arrivals.length - firstAtMs.size,
    rejected: receiver.rejected(),
    contradictions:
      (await records.gaps()) + (await records.miscounted()) + (await records.orphans()),
    delaysMs: arrived.toSorted((one, other) => one - other)
  }
}

export const holds = ({ committed, contradictions, lost, rejected }: Verdict): boolean =>
  committed > 0 && lost === 0 && rejected === 0 && contradictions === 0

export const told = (verdict: Verdict): string =>
  `${verdict.committed} events committed: ${verdict.lost} lost, ${verdict.duplicates} arrived again, ` +
  `${verdict.rejected} not genuine, ${verdict.contradictions} rows out of step`
