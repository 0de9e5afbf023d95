/**
 * A queue in a table: rows that are due are leased by whoever works on them, and what is written counts only
 * under the lease.
 */
import type { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Release, Renew } from "../../core/ports/leases.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Leases from "./leases.ts"
import type { Row } from "./table.ts"

export interface Definition {
  readonly table: string
  readonly key: string
  /** The column that says when a row is due. */
  readonly due: string
  /** Which rows wait to be worked on, leased or not. Indexes are partial by the same words. */
  readonly isOpen: Fragment
}

export interface Claim {
  readonly now: DateTime.Utc
  readonly leaseMs: number
  readonly most: number
}

export const leased = (sql: SqlClient, clock: Leases.Clock, definition: Definition) => {
  const { due, isOpen, key, table } = definition
  const [name, id, dueAt] = [sql(table), sql(key), sql(due)]

  return {
    claim: <A>(claim: Claim, read: (row: Row & { readonly lease: string }) => A) =>
      Answer.all(
        sql<Row & { readonly lease: string }>`
          with locked as (
            select * from ${name}
            where ${isOpen} and (lease is null or lease_ends_at <= ${clock(sql, claim.now)})
              and ${dueAt} <= ${Column.date(claim.now)}
            order by ${dueAt}, ${id} limit ${claim.most} for no key update skip locked
          ),
          claimed as (
            update ${name} set lease = gen_random_uuid(),
              lease_ends_at = ${Leases.endOf(sql, clock(sql, claim.now), claim.leaseMs)}
            from locked where ${name}.${id} = locked.${id}
            returning ${name}.*
          )
          select * from claimed order by ${dueAt}, ${id}`,
        read
      ),

    renew: Leases.renewing(sql, clock, { table, key }) satisfies Renew,

    release: ((held) =>
      Answer.done(sql`update ${name} set lease = null, lease_ends_at = null
        where ${id} = any(${held.map((each) => each.id)}::uuid[])
          and lease = any(${held.map((each) => each.lease)}::text[])`)) satisfies Release,

    /** Writes under a lease, and ends it or keeps it; false when it is not current. */
    write: (of: string, current: string, set: Fragment, ends: boolean): Effect.Effect<boolean> =>
      Answer.any(sql`
        update ${name} set ${set}${ends ? sql`, lease = null, lease_ends_at = null` : sql``}
        where ${id} = ${Column.soughtUuid(of)} and lease = ${current} returning 1`),

    /**
     * When the next row is due. A leased one is free when its lease has ended and it is due. A range tells a planner that
     * has no statistics yet how few they are; without it a new table is read whole.
     */
    nextDue: (now: DateTime.Utc): Effect.Effect<DateTime.Utc | undefined> =>
      Answer.only(
        sql<{ due: Date | null }>`select least(
          (select ${dueAt} from ${name}
            where ${isOpen} and lease is null and ${dueAt} between '-infinity' and 'infinity'
            order by ${dueAt} limit 1),
          (select min(greatest(${dueAt}, ${Leases.endForCaller(sql, clock, now)})) from ${name}
            where ${isOpen} and lease is not null and ${dueAt} between '-infinity' and 'infinity')
        ) as due`,
        ({ due: at }) => (at === null ? undefined : Column.instant(at))
      )
  }
}
