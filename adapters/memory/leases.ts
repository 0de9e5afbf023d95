/** Leases of the queues in memory: how long a claim holds, and how its holder extends it. */
import { DateTime, type Effect } from "effect"
import type { Renewal } from "../../core/ports/leases.ts"
import type { Store } from "./store.ts"
import type { Table } from "./table.ts"

export interface Lease {
  readonly id: string
  readonly endsAt: DateTime.Utc
}

export const leaseFrom = (id: string, now: DateTime.Utc, leaseMs: number): Lease => ({
  id,
  endsAt: DateTime.add(now, { milliseconds: leaseMs })
})

/** A lease nobody else has claimed is current, ended or not. */
export const renewing =
  <Kept extends { readonly lease: Lease | null }, Unique extends string, Sorted extends string>(
    store: Store,
    rows: Table<Kept, Unique | "lease", Sorted>
  ) =>
  ({ held, leaseMs, now }: Renewal): Effect.Effect<ReadonlyArray<string>> =>
    store.write((journal) =>
      held.flatMap(({ lease }) => {
        const kept = rows.by("lease", lease)
        if (kept === undefined) return []
        rows.replace(journal, { ...kept, lease: leaseFrom(lease, now, leaseMs) })
        return [lease]
      })
    )
