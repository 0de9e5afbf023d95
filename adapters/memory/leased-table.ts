/**
 * A queue in a table, in memory: rows that are due are leased by whoever works on them, and what is written
 * counts only under the lease.
 */
import { DateTime, type Effect } from "effect"
import type { Release, Renew } from "../../core/ports/leases.ts"
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

/** When a row is due, as long as it waits to be worked on. */
export interface Definition<Kept> {
  readonly due: (kept: Kept) => DateTime.Utc | null
}

export interface Claim {
  readonly now: DateTime.Utc
  readonly leaseMs: number
  readonly most: number
}

const ms = DateTime.toEpochMillis
const leaseEndMs = ({ lease }: Leased) => (lease === null ? 0 : ms(lease.endsAt))
const dueMs = <Kept>({ due }: Definition<Kept>, kept: Kept) => {
  const at = due(kept)
  return at === null ? 0 : ms(at)
}

/** All rows of a queue stand in one order. */
const all = "all"

/** The orders a queue's table needs: what waits and what is under lease, apart. */
export const orders = <Kept extends Leased>(
  definition: Definition<Kept>
): Readonly<Record<"waiting" | "leased", Ordering<Kept>>> => ({
  waiting: {
    group: (kept) => (kept.lease === null && definition.due(kept) !== null ? all : undefined),
    at: (kept) => dueMs(definition, kept)
  },
  leased: { group: (kept) => (kept.lease === null ? undefined : all), at: leaseEndMs }
})

export const leased = <Kept extends Leased, Unique extends string, Sorted extends string>(
  store: Store,
  rows: Table<Kept, Unique | "lease", Sorted | "waiting" | "leased">,
  definition: Definition<Kept>
) => {
  const byDue = (one: Kept, other: Kept) => dueMs(definition, one) - dueMs(definition, other)

  /** What is due and at nobody, the longest due first. */
  const claimable = ({ most, now }: Claim): ReadonlyArray<Kept> => {
    const isDue = (kept: Kept) =>
      definition.due(kept) !== null && dueMs(definition, kept) <= ms(now)
    const [waiting, taken] = [rows.group("waiting", all), rows.group("leased", all)]
    const ended = countWhile(taken, (kept) => leaseEndMs(kept) <= ms(now))
    const due = countWhile(waiting, isDue)
    return [...taken.slice(0, ended).filter(isDue), ...waiting.slice(0, Math.min(due, most))]
      .sort(byDue)
      .slice(0, most)
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

  const release: Release = (held) =>
    store.write((journal) => {
      for (const { lease } of held) {
        const kept = rows.by("lease", lease)
        if (kept !== undefined) rows.replace(journal, { ...kept, lease: null })
      }
    })

  return {
    /** Takes due rows, each under a lease of its own. */
    take: (journal: Journal, claim: Claim): ReadonlyArray<Kept & { readonly lease: Lease }> =>
      claimable(claim).map((kept) => {
        const endsAt = DateTime.add(claim.now, { milliseconds: claim.leaseMs })
        const taken = { ...kept, lease: { id: `lease-${store.next("lease")}`, endsAt } }
        rows.replace(journal, taken)
        return taken
      }),

    renew,
    release,

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
        const first = rows.group("waiting", all).slice(0, 1)
        const soonest = [
          ...first.map((kept) => dueMs(definition, kept)),
          ...rows
            .group("leased", all)
            .filter((kept) => definition.due(kept) !== null)
            .map((kept) => Math.max(dueMs(definition, kept), leaseEndMs(kept)))
        ]
        return soonest.length === 0 ? undefined : DateTime.makeUnsafe(Math.min(...soonest))
      })
  }
}
