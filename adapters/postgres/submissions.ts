/**
 * The store of submissions on SQL, which is its own queue. A unique key lets one of many copies in, and every
 * write is guarded by the lease it is done under.
 */
import { type DateTime, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { anew, progress, type Submission, Terms } from "../../core/submissions/submission.ts"
import { type Claimed, SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as Answer from "./answer.ts"
import { leased } from "./leased-table.ts"
import * as Leases from "./leases.ts"
import * as Rows from "./rows.ts"
import { integer, json, type Row, table, text, texts, timestamp } from "./table.ts"

const TermsJson = Schema.toCodecJson(Terms)

const submissionTable = table<Submission>(
  "submission",
  {
    id: text,
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
    transferId: text,
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
  return true
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
    const write = (lease: string, submission: Submission, ends: boolean) =>
      queue.write(submission.id, lease, submissionTable.set(submission, progress), ends)
    return {
      open: (submission) => submissions.insertNew(submission, sql`(key)`),
      find: (key) => submissions.first({ key }),
      ofProposals: (proposalIds) =>
        submissions.all(
          sql`proposal_id = any(${proposalIds}::text[])`,
          sql` order by proposal_id, created_at, id`
        ),
      standing: (requestIds) =>
        submissions.all(
          sql`request_id = any(${requestIds}::text[]) and status <> 'failed'`,
          sql` order by created_at, id`
        ),
      reopen: (id, at) => Effect.orDie(sql.withTransaction(reopening(sql, id, at))),
      claim: (claim) => queue.claim(claim, readClaimed),
      renew: queue.renew,
      note: (lease, submission) => write(lease, submission, false),
      conclude: (lease, submission) => write(lease, submission, true),
      attach: (id, transferId) => submissions.update({ id }, { transferId }),
      nextDue: queue.nextDue,

      // The row stays locked until the transaction ends, and with it what it gave is undone.
      takeSequence: (chainId, relayer, chainCount) =>
        Answer.only(
          sql<{ taken: bigint }>`
            insert into relayer_sequence as known (chain_id, relayer, next)
            values (${chainId}, ${relayer}, ${chainCount}::bigint + 1)
            on conflict (chain_id, relayer) do update
              set next = greatest(known.next, excluded.next - 1) + 1
            returning next - 1 as taken`,
          ({ taken }) => Number(taken)
        ),

      holdsSequence: (chainId, relayer, first, before) =>
        submissions.any(sql`chain_id = ${chainId} and relayer = ${relayer}
          and next_look_at is not null and relayer_sequence >= ${first} and relayer_sequence < ${before}`)
    }
  })
)
