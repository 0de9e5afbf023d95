/**
 * The store of submissions on SQL, which is its own queue. A unique key lets one of many copies in, and every
 * write is guarded by the lease it is done under.
 */
import { type DateTime, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import {
  anew,
  progress,
  type Submission,
  signedBytes,
  Terms
} from "../../core/submissions/submission.ts"
import {
  type Claimed,
  SubmissionStore,
  type Write
} from "../../core/submissions/submission-store.ts"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import * as Defect from "./defect.ts"
import { gatheredAll } from "./gathered.ts"
import { leased } from "./leased-table.ts"
import * as Leases from "./leases.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import { integer, json, type Row, table, text, texts, timestamp, uuid } from "./table.ts"

const TermsJson = Schema.toCodecJson(Terms)

const submissionTable = table<Submission>(
  "submission",
  {
    id: uuid,
    key: text,
    purpose: json(),
    chainId: text,
    terms: json(Schema.encodeSync(TermsJson), Schema.decodeUnknownSync(TermsJson)),
    status: text,
    reason: text,
    txIds: texts,
    relayer: text,
    relayerSequence: integer,
    journal: json(),
    transferId: uuid,
    nextLookAt: timestamp,
    createdAt: timestamp,
    updatedAt: timestamp
  },
  ["id"]
)

const readClaimed = (row: Row & { readonly lease: string }): Claimed => ({
  submission: submissionTable.read(row),
  lease: row.lease
})

/** Under the row's lock, so that what is written anew is what failed. */
const reopening = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  id: string,
  at: DateTime.Utc
) {
  const submissions = Rows.rows(sql, submissionTable)
  const failed = yield* submissions.first(
    { id, status: "failed", nextLookAt: null },
    Rows.forUpdate
  )
  if (failed === undefined) return false
  yield* submissions.save({ ...anew(failed), nextLookAt: at, updatedAt: at }, progress)
  yield* Answer.done(sql`update submission set is_emptied = false where id = ${id}`)
  return true
})

/** What holds no such bytes is marked too, so that nothing is looked at twice. */
const emptying = (sql: SqlClient.SqlClient, writtenBefore: DateTime.Utc, max: number) =>
  Batch.updated(
    sql,
    sql`is_emptied = true, journal = case when jsonb_typeof(journal -> 'attempts') = 'array'
      then jsonb_set(journal, '{attempts}', (
        select coalesce(jsonb_agg(attempt.kept || (
          select coalesce(jsonb_object_agg(name, ''), '{}') from unnest(${signedBytes}::text[]) name
          where attempt.kept ? name
        ) order by attempt.place), '[]')
        from jsonb_array_elements(journal -> 'attempts') with ordinality attempt (kept, place)
      )) else journal end`,
    {
      table: "submission",
      where: sql`next_look_at is null and not is_emptied
        and created_at < ${Column.date(writtenBefore)} and updated_at < ${Column.date(writtenBefore)}`,
      by: sql`created_at, updated_at`,
      max
    }
  )

/**
 * All in one statement: a row is written if its lease is current, whatever becomes of the others. In a transaction it may
 * go with the commit, so that a place in a relayer's order is held no longer. Found by what is written alone, every row
 * would be read until somebody counted them.
 */
const saving = (sql: SqlClient.SqlClient, writes: ReadonlyArray<Write>) => {
  const last = writes.flatMap(({ isLast, submission }) => (isLast ? [submission.id] : []))
  const ends = sql`submission.id = any(${last}::uuid[])`
  const ids = writes.map(({ submission }) => submission.id)
  const changes = writes.map(({ lease, submission }) => ({ noun: submission, extra: { lease } }))
  return Answer.takenOf(
    writes.map(({ lease }) => lease),
    sql<{ readonly lease: string }>`
      update submission set ${submissionTable.setAll(progress)},
        lease = case when ${ends} then null else submission.lease end,
        lease_ends_at = case when ${ends} then null else submission.lease_ends_at end
      from ${submissionTable.records(changes, ["id", ...progress])} as written
      where submission.id = any(${ids}::uuid[])
        and submission.id = written.id and submission.lease = written.lease
      returning written.lease`,
    ({ lease }) => lease
  )
}

/** Under a lock of its own, as the row of another who comes at the same time is not there yet. */
const promising = (sql: SqlClient.SqlClient): SubmissionStore["Service"]["promisedBy"] =>
  Effect.fnUntraced(function* (chainId, from) {
    const lock = AdvisoryLock.promises(sql, chainId, from)
    yield* Answer.done(sql`select pg_advisory_xact_lock(${lock})`)
    return yield* Answer.only(
      sql<{ count: number; units: string }>`
        select count(*)::integer as count,
          coalesce(sum((terms -> 'amount' ->> 'units')::numeric), 0)::text as units
        from submission
        where chain_id = ${chainId} and terms ->> 'from' = ${from}
          and next_look_at is not null and status in ('prepared', 'signed', 'submitted')
          and terms -> 'signed' <> 'null'::jsonb`,
      ({ count, units }) => ({ count, units: BigInt(units) })
    )
  })

export const layer = Layer.effect(
  SubmissionStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Leases.LeaseClock]), ([sql, clock]) => {
    const submissions = Rows.rows(sql, submissionTable)
    const queue = leased(sql, clock, {
      table: "submission",
      key: "id",
      due: "next_look_at",
      isOpen: sql`next_look_at is not null`
    })
    const ofProposals = (proposalIds: ReadonlyArray<string>) =>
      submissions.all(
        sql`proposal_id ${OneOf.uuids(sql, proposalIds)}`,
        sql` order by proposal_id, created_at, id`
      )
    const ofProposal = gatheredAll(
      sql,
      ({ purpose }: Submission) => purpose.proposalId ?? "",
      ofProposals
    )
    return {
      open: (submission) => submissions.insertNew(submission, sql`(key)`),
      add: (submission) => submissions.insert(submission),
      find: (key) => submissions.first({ key }),
      ofProposals: (ids) => {
        const [id, ...others] = ids
        return id !== undefined && others.length === 0 ? ofProposal(id) : ofProposals(ids)
      },
      standing: (requestIds) =>
        submissions.all(
          sql`request_id ${OneOf.uuids(sql, requestIds)} and status <> 'failed'`,
          sql` order by created_at, id`
        ),
      identitiesOf: (chainId, from) =>
        Answer.all(
          sql<{ identity: string; status: Submission["status"] }>`
            select terms ->> 'identity' as identity, status from submission
            where chain_id = ${chainId} and terms ->> 'from' = ${from}`,
          ({ identity, status }) => ({ identity, status })
        ),
      finalOn: (chainId, { after, before, limit }) =>
        submissions.all(
          sql`chain_id = ${chainId} and status = 'final' and next_look_at is null
            and terms -> 'wallet' <> 'null'::jsonb and created_at < ${Column.date(before)}
            ${after === undefined ? sql`` : sql`and (created_at, id) > (${Column.date(after.createdAt)}, ${after.id})`}`,
          sql` order by created_at, id limit ${limit}`
        ),
      promisedBy: promising(sql),
      reopen: (id, at) => Defect.orDie(sql.withTransaction(reopening(sql, id, at))),
      claim: (claim) => queue.claim(claim, readClaimed),
      renew: queue.renew,
      release: queue.release,
      save: (writes) => saving(sql, writes),
      forgetBytes: (writtenBefore, max) => emptying(sql, writtenBefore, max),
      attach: (id, transferId) => submissions.update({ id }, { transferId }),
      nextDue: queue.nextDue,

      // The row stays locked until the transaction ends, and with it what it gave is undone.
      takeSequences: (chainId, relayer, chainCount, howMany) =>
        Answer.only(
          sql<{ taken: bigint }>`
            insert into relayer_sequence as known (chain_id, relayer, next)
            values (${chainId}, ${relayer}, ${chainCount}::bigint + ${howMany}::bigint)
            on conflict (chain_id, relayer) do update
              set next = greatest(known.next, ${chainCount}::bigint) + ${howMany}::bigint
            returning next - ${howMany}::bigint as taken`,
          ({ taken }) => Number(taken)
        ),

      newestSequence: Effect.fnUntraced(function* (chainId, holder) {
        const lock = AdvisoryLock.walletOrder(sql, chainId, holder)
        yield* Answer.done(sql`select pg_advisory_xact_lock(${lock})`)
        return yield* Answer.first(
          sql<{ sequence: bigint; isClosed: boolean }>`
            select relayer_sequence as sequence, next_look_at is null as "isClosed" from submission
            where chain_id = ${chainId} and relayer = ${holder}
            order by relayer_sequence desc limit 1`,
          ({ isClosed, sequence }) => ({ sequence: Number(sequence), isClosed })
        )
      }),

      holdsSequence: (chainId, relayer, first, before) =>
        submissions.any(sql`chain_id = ${chainId} and relayer = ${relayer}
          and next_look_at is not null and relayer_sequence >= ${first} and relayer_sequence < ${before}`)
    }
  })
)
