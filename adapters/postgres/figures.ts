/**
 * How the work stands, over all accounts, as gauges for the operator. Only sums and ages leave here, by
 * state and by chain; nothing that tells one tenant from another.
 */
import { Clock, DateTime, Effect, Metric } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Column from "./column.ts"
import { lineName } from "./line-now.ts"

interface Row {
  readonly figure: string
  readonly label: string
  readonly value: number
}

/** Each figure with its label, the values it always has, and what it tells. */
const descriptions: Readonly<
  Record<string, readonly [label: string, always: ReadonlyArray<string>, description: string]>
> = {
  deliveries_waiting: [
    "status",
    ["pending", "retrying"],
    "Webhook deliveries that have not succeeded yet; at most 10,000 are counted."
  ],
  deliveries_due: [
    "",
    [""],
    "Pending webhook deliveries whose next attempt is due; at most 10,000 are counted."
  ],
  deliveries_failed_last_day: [
    "",
    [""],
    "Webhook deliveries of the last 24 hours that failed permanently; at most 10,000 are counted."
  ],
  sends_under_way: [
    "status",
    ["prepared", "signed", "submitted", "seen"],
    "Confirmed sends, refunds and approvals that have not ended, by their last recorded status."
  ],
  oldest_send_seconds: ["", [""], "Age of the oldest of these sends, refunds and approvals."],
  proposals_waiting: [
    "status",
    ["pending_confirm", "requires_action"],
    "Proposals that wait for confirmation or approval; at most 10,000 are counted."
  ],
  watcher_lag_blocks: [
    "chainId",
    [],
    "Blocks between a chain's head and the newest processed block."
  ],
  watcher_final_age_seconds: [
    "chainId",
    [],
    "Age of the newest processed final block; it keeps growing if a chain cannot be read."
  ],
  usdc_stopped: [
    "chainId",
    [],
    "1 while no wallet signs on a chain, as another contract stands behind its USDC than the accepted one."
  ],
  unread_chain_seconds: [
    "chainId",
    [],
    "How long a chain has been connected that cannot be read since the records were replaced; no wallet signs there."
  ],
  oldest_audit_entry_waiting_seconds: [
    "",
    [""],
    "Age of the oldest audit entry that has no sequence number yet; at most 3,000 entries are looked at."
  ]
}

/** As many are counted at most: what the figures cost does not grow with what waits. */
const maxCounted = 10_000

/** Entries among which the oldest is looked for, in the order in which they lie, which is nearly that of their age. */
const maxEntries = 3000

const standing = (sql: SqlClient.SqlClient, now: Date) => sql<Row>`
  with waiting as materialized (
    select status, next_attempt_at from delivery where status in ('pending', 'retrying')
    order by next_attempt_at limit ${maxCounted}
  )
  select 'deliveries_waiting' as figure, status as label, count(*)::float8 as value
  from waiting group by status
  union all
  select 'deliveries_due', '', count(*) from waiting where next_attempt_at <= ${now}
  union all
  select 'deliveries_failed_last_day', '', count(*) from (
    select from delivery
    where status = 'failed' and created_at > ${now}::timestamptz - interval '24 hours'
    limit ${maxCounted}) failed
  union all
  select 'sends_under_way', status, count(*) from (
    select status from submission
    where proposal_id is not null and next_look_at is not null
      and status not in ('final', 'failed')
    limit ${maxCounted}) under_way
  group by status
  union all
  select 'oldest_send_seconds', '', extract(epoch from ${now}::timestamptz - min(created_at))
  from submission
  where proposal_id is not null and next_look_at is not null and status not in ('final', 'failed')
  union all
  select 'proposals_waiting', status, count(*) from (
    select status from proposal where status in ('pending_confirm', 'requires_action')
    limit ${maxCounted}) waiting group by status
  union all
  select 'watcher_lag_blocks', chain_id, head - (blocks->-1->>0)::bigint from chain_cursor
  union all
  select 'watcher_final_age_seconds', chain_id,
    extract(epoch from ${now}::timestamptz - final_time)
  from chain_cursor
  union all
  select 'usdc_stopped', chain_id, (seen <> accepted)::int from usdc_implementation
  union all
  select 'unread_chain_seconds', since.key,
    extract(epoch from ${now}::timestamptz - since.value::timestamptz)
  from jsonb_each_text(
    (select sealed::jsonb -> 'connectedAt' from key_material where name = ${lineName})) since
  union all
  select 'oldest_audit_entry_waiting_seconds', '',
    extract(epoch from ${now}::timestamptz - min(created_at))
  from (
    select created_at from audit_waiting limit ${maxEntries}
  ) unplaced`

const gauges = new Map<string, Metric.Gauge<number>>()

/** The labels under which a figure was told before. */
const toldOf = (figure: string) =>
  [...gauges.keys()]
    .filter((name) => name.startsWith(`${figure} `))
    .map((name) => name.slice(figure.length + 1))

const gaugeOf = (figure: string, label: string): Metric.Gauge<number> => {
  const name = `${figure} ${label}`
  const known = gauges.get(name)
  if (known !== undefined) return known
  const [attribute, , description] = descriptions[figure] ?? ["", [], figure]
  const attributes = attribute === "" ? {} : { [attribute]: label }
  const made = Metric.gauge(figure, { description, attributes })
  gauges.set(name, made)
  return made
}

const readAt = Metric.gauge("figures_read_timestamp_seconds", {
  description: "When these metrics were last read from the database, in Unix seconds."
})

/** Reads the figures into their gauges; those of a state nothing is in are zero. */
export const measure = Effect.fnUntraced(function* (connected: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const all = yield* standing(sql, Column.date(yield* DateTime.now))
  // Nobody waits for a chain that was taken out of the settings before it was read.
  const rows = all.filter(
    ({ figure, label }) => figure !== "unread_chain_seconds" || connected.includes(label)
  )
  const found = new Map(rows.map(({ figure, label, value }) => [`${figure} ${label}`, value]))
  for (const [figure, [, always]] of Object.entries(descriptions)) {
    const others = rows.filter((row) => row.figure === figure).map(({ label }) => label)
    // What was told before and is in no row any more, such as a chain that was read meanwhile, is zero too.
    for (const label of new Set([...always, ...toldOf(figure), ...others])) {
      const value = Math.max(0, found.get(`${figure} ${label}`) ?? 0)
      yield* Metric.update(gaugeOf(figure, label), value)
    }
  }
  yield* Metric.update(readAt, (yield* Clock.currentTimeMillis) / 1000)
})
