/**
 * Looks after tables where the database does not, or not soon enough. A planner is told of a table that grows before it reads
 * it whole, and an embedded engine, which has no process of its own for it, is cleared of its dead rows and of its old log.
 */
import { setTimeout } from "node:timers/promises"
import { Cause, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Connection, Engine } from "./engine.ts"

export interface Bounds {
  /** Of a table with fewer rows it does not matter how it is read. */
  readonly fewRows: number
  /** So many transactions after its oldest row a table is frozen, long before their numbers run out at two thousand million. */
  readonly freezesAfter: number
  /** So much of the log is cut at once. */
  readonly cutsAfterBytes: number
  /** What is less is cut after so long, if it is worth it. */
  readonly cutsAfterSeconds: number
  readonly worthBytes: number
}

export const usual: Bounds = {
  fewRows: 500,
  freezesAfter: 100_000_000,
  cutsAfterBytes: 32 * 1024 * 1024,
  cutsAfterSeconds: 300,
  worthBytes: 1024 * 1024
}

interface Row {
  readonly name: string
}

/** Those that have four times as many rows as a planner knows of. A server's own process comes by the minute only. */
const grown = (sql: SqlClient.SqlClient, { fewRows }: Bounds) => sql<Row>`
  select c.oid::regclass::text as name from pg_class c
  where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and pg_has_role(c.relowner, 'usage')
    and pg_stat_get_live_tuples(c.oid) >= greatest(${fewRows}::float8, 4 * c.reltuples)`

interface Worn extends Row {
  readonly is_old: boolean
  readonly is_worn: boolean
}

/** Those that autovacuum would come to, by its own rule; the bounds are higher, as everybody waits meanwhile. */
const worn = (sql: SqlClient.SqlClient, { fewRows, freezesAfter }: Bounds) => sql<Worn>`
  select name, is_old, is_worn from (
    select c.oid::regclass::text as name,
      greatest(age(c.relfrozenxid), mxid_age(c.relminmxid)) > ${freezesAfter}::integer as is_old,
      greatest(pg_stat_get_dead_tuples(c.oid), pg_stat_get_ins_since_vacuum(c.oid))
        >= ${fewRows}::float8 + 0.2 * c.reltuples as is_worn,
      pg_stat_get_mod_since_analyze(c.oid) >= ${fewRows}::float8 + 0.1 * c.reltuples as is_changed
    from pg_class c
    where c.relkind in ('r', 'm') and c.relpersistence = 'p'
  ) one
  where is_old or is_worn or is_changed`

interface Log {
  readonly bytes: number
  readonly seconds: number
}

/** Cuts the log of an embedded engine, which no process of its own does either: it would be as long as all that was written. */
const cutLog = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { cutsAfterBytes, cutsAfterSeconds, worthBytes }: Bounds
) {
  const [log] = yield* sql<Log>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes,
      extract(epoch from clock_timestamp() - checkpoint_time)::float8 as seconds
    from pg_control_checkpoint()`
  if (log === undefined) return
  const isOld = log.seconds >= cutsAfterSeconds && log.bytes >= worthBytes
  if (isOld || log.bytes >= cutsAfterBytes) yield* sql`checkpoint`
})

/** Each by a statement of its own, so that others come in between. */
const each = <A extends Row>(
  sql: SqlClient.SqlClient,
  tables: ReadonlyArray<A>,
  verb: (table: A) => string
) =>
  Effect.forEach(tables, (table) => sql.unsafe(`${verb(table)} ${table.name}`), { discard: true })

/** One visit to all tables. */
export const visit = Effect.fnUntraced(function* (bounds: Bounds = usual) {
  const sql = yield* SqlClient.SqlClient
  const engine = yield* Engine
  if (engine.kind === "server") {
    return yield* each(sql, yield* grown(sql, bounds), () => "analyze")
  }
  // First, as a disk that is nearly full may let nothing else be done.
  if (!engine.log.isHeld) yield* cutLog(sql, bounds)
  // What its only session has counted is told when that is next idle.
  yield* sql`select pg_stat_force_next_flush()`
  return yield* each(sql, yield* worn(sql, bounds), (table) => {
    if (table.is_old) return "vacuum (freeze, analyze)"
    return table.is_worn ? "vacuum (analyze)" : "analyze"
  })
})

/** In real time, whatever clock the core is on: it is the database that is looked after. */
const pause = (ms: number) =>
  Effect.promise((signal) =>
    setTimeout(ms, undefined, { ref: false, signal }).catch(() => undefined)
  )

const visiting = Effect.catchCause(visit(), (cause) =>
  Cause.hasInterruptsOnly(cause)
    ? Effect.failCause(cause as Cause.Cause<never>)
    : Effect.logDebug("The tables could not be looked after", cause)
)

/** Visits for as long as the engine is open. One that fails is left to the next: whoever needs the database says so. */
export const layerEvery = (ms: number): Layer.Layer<never, never, Connection> =>
  Layer.effectDiscard(Effect.forkScoped(Effect.forever(Effect.andThen(pause(ms), visiting))))

export const layer = layerEvery(10_000)
