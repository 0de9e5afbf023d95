/**
 * The store of waits on SQL, which is its own queue. Unique keys let one open wait into a proposal, and every
 * write is guarded by the lease it is done under.
 */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type End, progress, type Wait } from "../../core/waits/wait.ts"
import { type Claimed, WaitStore, type Write } from "../../core/waits/wait-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { leased } from "./leased-table.ts"
import * as Leases from "./leases.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import { bool, integer, json, type Row, table, text, timestamp, uuid } from "./table.ts"

interface WrittenEnd extends Omit<End, "at"> {
  readonly at: string
}

const end = json<End>(
  (ended): WrittenEnd => ({ ...ended, at: DateTime.formatIso(ended.at) }),
  (written: WrittenEnd): End => ({ ...written, at: DateTime.makeUnsafe(written.at) })
)

const waitTable = table<Wait>(
  "wait",
  {
    id: uuid,
    accountId: uuid,
    proposalId: uuid,
    n: integer,
    kind: text,
    watch: text,
    chainId: text,
    terms: json(),
    journal: json(),
    reason: text,
    isStuck: bool,
    isStopAsked: bool,
    openedAt: timestamp,
    deadline: timestamp,
    ended: end,
    nextLookAt: timestamp,
    hurries: integer,
    updatedAt: timestamp
  },
  ["id"]
)

const readClaimed = (row: Row & { readonly lease: string }): Claimed => ({
  wait: waitTable.read(row),
  lease: row.lease
})

const saving = (sql: SqlClient.SqlClient, writes: ReadonlyArray<Write>) => {
  const last = writes.flatMap(({ isLast, wait }) => (isLast ? [wait.id] : []))
  const ends = sql`wait.id = any(${last}::uuid[])`
  const changes = writes.map(({ lease, wait }) => ({ noun: wait, extra: { lease } }))
  const plain = progress.filter((field) => field !== "nextLookAt")
  return Answer.all(
    sql<{ readonly lease: string }>`
      update wait set ${waitTable.setAll(plain)},
        next_look_at = case
          when written.next_look_at is null or wait.hurries = written.hurries
            then written.next_look_at
          else least(wait.next_look_at, written.next_look_at) end,
        lease = case when ${ends} then null else wait.lease end,
        lease_ends_at = case when ${ends} then null else wait.lease_ends_at end
      from ${waitTable.records(changes)} as written
      where wait.id = written.id and wait.lease = written.lease
      returning written.lease`,
    ({ lease }) => lease
  )
}

export const layer = Layer.effect(
  WaitStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Leases.LeaseClock]), ([sql, clock]) => {
    const waits = Rows.rows(sql, waitTable)
    const queue = leased(sql, clock, {
      table: "wait",
      key: "id",
      due: "next_look_at",
      isOpen: sql`next_look_at is not null`
    })
    const hurried = (now: DateTime.Utc) =>
      sql`next_look_at = ${Column.date(now)}, hurries = hurries + 1`
    return {
      open: (wait) => waits.insertNew(wait),
      ofProposals: (proposalIds) =>
        waits.all(sql`proposal_id ${OneOf.uuids(sql, proposalIds)}`, sql` order by proposal_id, n`),
      ofOrders: (accountId, orderIds) =>
        waits.all(
          sql`journal->'signed'->>'orderId' = any(${orderIds}::text[]) and account_id = ${accountId}`
        ),
      stuck: (most) =>
        waits.all(
          sql`next_look_at is not null and is_stuck`,
          sql` order by opened_at, id limit ${most}`
        ),
      claim: (claim) => queue.claim(claim, readClaimed),
      renew: queue.renew,
      release: queue.release,
      save: (writes) => saving(sql, writes),
      stop: (proposalId, now) =>
        Answer.any(sql`
          update wait set ${hurried(now)}, is_stop_asked = true
          where proposal_id = ${Column.soughtUuid(proposalId)} and next_look_at is not null returning 1`),
      hurry: (waitIds, now) =>
        Answer.done(sql`
          update wait set ${hurried(now)}
          where id = any(${Column.soughtUuids(waitIds)}::uuid[]) and next_look_at is not null`),
      nextDue: queue.nextDue
    }
  })
)
