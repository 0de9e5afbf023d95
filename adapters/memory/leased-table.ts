/**
 * A queue in a table, in memory: rows that are due are leased by whoever works on them, and what is written
 * counts only under the lease. A table may have groups, of which only so many rows are under lease at once.
 */
import { DateTime, type Effect } from "effect"
import type { Renew } from "../../core/ports/leases.ts"
import { countWhile, type Ordering } from "./sorted-rows.ts"
import type { Store } from "./store.ts"
import type { Journal, Table } from "./table.ts"

export interface Lease {
  readonly id: string
  readonly endsAt: DateTime.Utc
}

export interface Leased {
  readonly lease: Lease | null
}

/** When a row is due, as long as it waits to be worked on; its group, if there are any. */
export interface Definition<Kept> {
  readonly due: (kept: Kept) => DateTime.Utc | null
  readonly group?: (kept: Kept) => string
}

export interface Claim {
  readonly now: DateTime.Utc
  readonly leaseMs: number
  readonly most: number
}

export interface Groups {
  /** Whether rows of a group are handed out at all. */
  readonly isServed: (group: string) => boolean
  readonly places: (group: string) => number
}

const ms = DateTime.toEpochMillis
const leaseEndMs = ({ lease }: Leased) => (lease === null ? 0 : ms(lease.endsAt))
const dueMs = <Kept>({ due }: Definition<Kept>, kept: Kept) => {
  const at = due(kept)
  return at === null ? 0 : ms(at)
}

/** The orders a queue's table needs: what waits and what is under lease, apart. */
export const orders = <Kept extends Leased>(
  definition: Definition<Kept>
): Readonly<Record<"waiting" | "leased", Ordering<Kept>>> => {
  const { due, group = () => "all" } = definition
  return {
    waiting: {
      group: (kept) => (kept.lease === null && due(kept) !== null ? group(kept) : undefined),
      at: (kept) => dueMs(definition, kept)
    },
    leased: { group: (kept) => (kept.lease === null ? undefined : group(kept)), at: leaseEndMs }
  }
}

/** Of a group as many as it has places, the longest due first. */
const claimed = <Kept extends Leased>(
  definition: Definition<Kept>,
  waiting: ReadonlyArray<Kept>,
  taken: ReadonlyArray<Kept>,
  { most, now }: Claim,
  places: number
): Array<Kept> => {
  const isDue = (kept: Kept) => dueMs(definition, kept) <= ms(now)
  const ended = countWhile(taken, (kept) => leaseEndMs(kept) <= ms(now))
  const free = Math.max(0, Math.min(most, places - (taken.length - ended)))
  const again = taken.slice(0, ended).filter((kept) => definition.due(kept) !== null && isDue(kept))
  return [...again, ...waiting.slice(0, Math.min(countWhile(waiting, isDue), free))]
    .sort((one, other) => dueMs(definition, one) - dueMs(definition, other))
    .slice(0, free)
}

export const leased = <Kept extends Leased, Unique extends string, Sorted extends string>(
  store: Store,
  rows: Table<Kept, Unique | "lease", Sorted | "waiting" | "leased">,
  definition: Definition<Kept>,
  isServed: Groups["isServed"] = () => true
) => {
  const byDue = (one: Kept, other: Kept) => dueMs(definition, one) - dueMs(definition, other)
  const groups = () =>
    [...new Set([...rows.groupNames("waiting"), ...rows.groupNames("leased")])].filter(isServed)
  const claimable = (group: string, claim: Claim, places: number) => {
    const [waiting, taken] = [rows.group("waiting", group), rows.group("leased", group)]
    return claimed(definition, waiting, taken, claim, places)
  }

  const renew: Renew = ({ held, leaseMs, now }) =>
    store.write((journal) =>
      held.flatMap(({ lease: id }) => {
        const kept = rows.by("lease", id)
        if (kept === undefined) return []
        const endsAt = DateTime.add(now, { milliseconds: leaseMs })
        rows.replace(journal, { ...kept, lease: { id, endsAt } })
        return [id]
      })
    )

  return {
    /** Takes due rows, each under a lease of its own. */
    take: (
      journal: Journal,
      claim: Claim,
      places: Groups["places"] = () => Number.POSITIVE_INFINITY
    ): ReadonlyArray<Kept & { readonly lease: Lease }> =>
      groups()
        .flatMap((group) => claimable(group, claim, places(group)))
        .sort(byDue)
        .slice(0, claim.most)
        .map((kept) => {
          const endsAt = DateTime.add(claim.now, { milliseconds: claim.leaseMs })
          const taken = { ...kept, lease: { id: `lease-${store.next("lease")}`, endsAt } }
          rows.replace(journal, taken)
          return taken
        }),

    renew,

    /** Writes under a lease, and ends it or keeps it; false when it is not current. */
    write: (
      journal: Journal,
      lease: string,
      change: (kept: Kept) => Kept | undefined,
      ends: boolean
    ): boolean => {
      const kept = rows.by("lease", lease)
      const changed = kept === undefined ? undefined : change(kept)
      if (changed === undefined) return false
      rows.replace(journal, ends ? { ...changed, lease: null } : changed)
      return true
    },

    /** When the next row is due. A leased one is free when its lease has ended and it is due. */
    nextDue: (): Effect.Effect<DateTime.Utc | undefined> =>
      store.read(() => {
        const soonest = groups().flatMap((group) => [
          ...rows
            .group("waiting", group)
            .slice(0, 1)
            .map((kept) => dueMs(definition, kept)),
          ...rows
            .group("leased", group)
            .filter((kept) => definition.due(kept) !== null)
            .map((kept) => Math.max(dueMs(definition, kept), leaseEndMs(kept)))
        ])
        return soonest.length === 0 ? undefined : DateTime.makeUnsafe(Math.min(...soonest))
      })
  }
}
