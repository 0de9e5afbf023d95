/** What a step of a submission writes changes no index, but where it says when it is looked at next. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Submission } from "../../../core/submissions/submission.ts"
import { stores } from "../../support/many-rows.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
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
})
