/**
 * What a step of a submission writes changes no index, but where it says when it is looked at next; and the answer of a
 * call leaves no room taken where its reservation stood.
 */
import { randomBytes } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import { stores } from "../../support/many-rows.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

layer(stores)("rows that are written again", (it) => {
  it.effect("a submission stays where it is when it is signed, and when it is submitted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* SubmissionQueue.queued([0])
      const [claimed] = yield* SubmissionQueue.claimAt(0)
      const { lease, submission } = claimed ?? assert.fail("Nothing is due.")
      const authorization = SendingRows.anAuthorization(submission)
      const signed: Submission = { ...submission, status: "signed", updatedAt: Rows.at(1) }
      const attempts = [SendingRows.anAttempt()]
      const submitted: Submission = {
        ...SendingRows.submitted(submission, { authorization, attempts }),
        relayer: null,
        relayerSequence: null,
        nextLookAt: submission.nextLookAt,
        updatedAt: Rows.at(2)
      }
      const written = sql<{ readonly rows: number; readonly moved: number }>`
        select n_tup_upd::int as rows, (n_tup_upd - n_tup_hot_upd)::int as moved
        from pg_stat_xact_user_tables where relname = 'submission'`
      const [before, after] = yield* sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* written
          for (const each of [signed, submitted]) yield* SubmissionQueue.note(lease, each)
          return [...before, ...(yield* written)]
        })
      )
      assert.deepStrictEqual(after, { rows: (before?.rows ?? 0) + 2, moved: before?.moved ?? 0 })
    })
  )

  it.effect("calls under keys take the room of their answers, and none of their reservations", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { answer, reserve } = yield* Idempotency
      const { id: accountId } = yield* Stored.account()
      // Whoever counts its rows meanwhile keeps what was written over in its place.
      yield* sql`alter table idempotency_key set (autovacuum_enabled = off)`
      // Without compression, so that a row has the length that it is given.
      const body = JSON.stringify({ link: randomBytes(150).toString("base64") })
      for (let call = 0; call < 400; call++) {
        const slot = { accountId, operation: "create_checkout_session", key: `order-${call}` }
        const held = {
          calledBy: Rows.anId(),
          leaseOwner: Rows.anId(),
          fingerprint: "5a".repeat(32)
        }
        yield* reserve({ ...slot, ...held, now: Rows.at(0), leaseEndsAt: Rows.at(60) })
        yield* answer(slot, held.leaseOwner, { body, sealedSecrets: null, secretsEraseAt: null })
      }
      const [size] = yield* sql<{ readonly rows: number; readonly table: number }>`
        select pg_relation_size('idempotency_key')::int as table,
          (select sum(pg_column_size(slot.*) + 4)::int from idempotency_key slot) as rows`
      assert.isBelow(size?.table ?? Number.NaN, 1.5 * (size?.rows ?? Number.NaN))
    })
  )
})
