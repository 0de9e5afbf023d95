/**
 * A queue in a table: rows that are due are leased by whoever works on them, and what is written counts only
 * under the lease. A table may have groups, of which only so many rows are under lease at once.
 */
import type { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Renew } from "../../core/ports/leases.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Leases from "./leases.ts"
import type { Row } from "./table.ts"

/** Strict limits for each group of rows. Claims of all replicas must then pass one by one. */
export interface Groups {
  /** The column that names a row's group. */
  readonly by: string
  /** Whether rows of a group are handed out at all. */
  readonly isServed: (group: Fragment) => Fragment
}

export interface Definition {
  readonly table: string
  readonly key: string
  /** The column that says when a row is due. */
  readonly due: string
  /** Which rows wait to be worked on, leased or not. Indexes are partial by the same words. */
  readonly isOpen: Fragment
  readonly groups?: Groups
}

export interface Claim {
  readonly now: DateTime.Utc
  readonly leaseMs: number
  readonly most: number
}

/**
 * Steps along the index from one group with a due row to the next, however many rows each has, and chooses of
 * each no more than its free places.
 */
const choosing = (
  sql: SqlClient,
  { due, groups, isOpen, key, table }: Definition & { readonly groups: Groups },
  { most }: Claim,
  [at, leaseNow]: readonly [due: Date, leases: Fragment],
  places: (group: Fragment) => Fragment
) => {
  const by = sql(groups.by)
  const group = sql`waiting.of_group`
  const isDue = sql`${isOpen} and ${sql(due)} <= ${at}`
  return sql`
    waiting (of_group) as (
      (select ${by} from ${sql(table)} where ${isDue} order by ${by} limit 1)
      union all
      select (select ${by} from ${sql(table)} where ${isDue} and ${by} > ${group}
        order by ${by} limit 1)
      from waiting where ${group} is not null
    ),
    chosen as (
      select place.id from waiting cross join lateral (
        select ${sql(key)} as id, ${sql(due)} as due_at from ${sql(table)}
        where ${by} = ${group} and ${isDue} and (lease is null or lease_ends_at <= ${leaseNow})
        order by ${sql(due)}, ${sql(key)}
        limit greatest(0, ${places(group)} - (
          select count(*) from ${sql(table)}
          where ${by} = ${group} and lease is not null and lease_ends_at > ${leaseNow}
        ))
      ) place
      where ${groups.isServed(group)}
      order by place.due_at, place.id limit ${most}
    )`
}

export const leased = (sql: SqlClient, clock: Leases.Clock, definition: Definition) => {
  const { due, groups, isOpen, key, table } = definition
  const [name, id, dueAt] = [sql(table), sql(key), sql(due)]

  /**
   * `with` clauses that end with `locked`: the rows a claim takes, locked. A row that somebody is writing to
   * at this moment is passed over. Rows are looked up by arrays of keys, for which the planner trusts the
   * index at any size.
   */
  const locked = (claim: Claim, places: (group: Fragment) => Fragment = () => sql`1`) => {
    const at = Column.date(claim.now)
    const leaseNow = clock(sql, claim.now)
    const isFree = sql`${isOpen} and (lease is null or lease_ends_at <= ${leaseNow})`
    return groups === undefined
      ? sql`locked as (
          select * from ${name} where ${isFree} and ${dueAt} <= ${at}
          order by ${dueAt}, ${id} limit ${claim.most} for no key update skip locked
        )`
      : sql`${choosing(sql, { ...definition, groups }, claim, [at, leaseNow], places)},
        locked as (
          select * from ${name} where ${id} = any(array(select id from chosen)) and ${isFree}
          for no key update skip locked
        )`
  }

  /** What a claim sets. */
  const lease = ({ leaseMs, now }: Claim) => sql`lease = gen_random_uuid(),
    lease_ends_at = ${Leases.endOf(sql, clock(sql, now), leaseMs)}`

  const isServed = groups?.isServed(sql`${sql(`${table}.${groups.by}`)}`) ?? sql`true`

  return {
    locked,
    lease,

    claim: <A>(claim: Claim, read: (row: Row & { readonly lease: string }) => A) =>
      Answer.all(
        sql<Row & { readonly lease: string }>`
          with recursive ${locked(claim)},
          claimed as (
            update ${name} set ${lease(claim)} from locked where ${name}.${id} = locked.${id}
            returning ${name}.*
          )
          select * from claimed order by ${dueAt}, ${id}`,
        read
      ),

    renew: Leases.renewing(sql, clock, { table, key }) satisfies Renew,

    /** Writes under a lease, and ends it or keeps it; false when it is not current. */
    write: (of: string, current: string, set: Fragment, ends: boolean): Effect.Effect<boolean> =>
      Answer.any(sql`
        update ${name} set ${set}${ends ? sql`, lease = null, lease_ends_at = null` : sql``}
        where ${id} = ${of} and lease = ${current} returning 1`),

    /** When the next row is due. A leased one is free when its lease has ended and it is due. */
    nextDue: (now: DateTime.Utc): Effect.Effect<DateTime.Utc | undefined> =>
      Answer.only(
        sql<{ due: Date | null }>`select least(
          (select ${dueAt} from ${name} where ${isOpen} and lease is null and ${isServed}
            order by ${dueAt} limit 1),
          (select min(greatest(${dueAt}, ${Leases.endForCaller(sql, clock, now)})) from ${name}
            where ${isOpen} and lease is not null and ${isServed})
        ) as due`,
        ({ due: at }) => (at === null ? undefined : Column.instant(at))
      )
  }
}
