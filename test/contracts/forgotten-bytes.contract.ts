/** What every store of submissions must forget: the signed bytes of what ended long ago, and nothing else. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Journal from "../../core/evm/journal.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import type { Transfers } from "../../core/payments/transfer-store.ts"
import type { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { type Submission, withoutBytes } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"

type Stores =
  | SubmissionStore
  | PaymentRequests
  | Transfers
  | Proposals
  | Wallets
  | Accounts
  | Atomically

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: submissions, what is forgotten`, (it) => {
    it.effect("signed bytes go once it is long closed, and everything else stays", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        while ((yield* store.forgetBytes(Rows.at(100_000_000), 1000)) > 0);
        const [old, young, open, bare] = yield* SubmissionQueue.queued([0, 0, 0, 0])
        const attempts = [SendingRows.anAttempt(), SendingRows.anAttempt()]
        const authorization = SendingRows.anAuthorization(old as Submission)
        const leases = new Map(
          (yield* SubmissionQueue.claimAt(0)).map(({ lease, submission }) => [submission.id, lease])
        )
        const closed = (submission: Submission | undefined, updatedAt: number) => ({
          ...SendingRows.ended(
            SendingRows.submitted(submission as Submission, { authorization, attempts })
          ),
          updatedAt: Rows.at(updatedAt)
        })
        const written = [
          closed(old, 10),
          closed(young, 20),
          { ...closed(open, 10), nextLookAt: Rows.at(90) },
          { ...SendingRows.ended(bare as Submission), updatedAt: Rows.at(5) }
        ]
        for (const each of written) {
          assert.isTrue(yield* SubmissionQueue.conclude(leases.get(each.id) ?? "", each))
        }
        const found = Effect.forEach(written, ({ key }) => store.find(key))
        assert.strictEqual(yield* store.forgetBytes(Rows.at(20), 1), 1)
        assert.deepStrictEqual(yield* found, written)
        assert.strictEqual(yield* store.forgetBytes(Rows.at(20), 100), 1)
        const emptied = withoutBytes(written[0] as Submission)
        assert.deepStrictEqual(yield* found, [emptied, ...written.slice(1)])
        assert.deepStrictEqual(
          Journal.read(emptied).attempts,
          attempts.map((attempt) => ({ ...attempt, raw: "" }))
        )
        assert.deepStrictEqual(Journal.read(emptied).authorization, authorization)
        assert.strictEqual(yield* store.forgetBytes(Rows.at(20), 100), 0)
        yield* SubmissionQueue.emptyQueue
      })
    )

    it.effect("signed bytes of either family are forgotten, and again after it was reopened", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        while ((yield* store.forgetBytes(Rows.at(100_000_000), 1000)) > 0);
        const [opened] = yield* SubmissionQueue.queued([0])
        if (opened === undefined) return assert.fail("nothing opened")
        for (const updatedAt of [10, 20]) {
          const [claimed] = yield* SubmissionQueue.claimAt(updatedAt)
          const attempts = [{ txId: Rows.aDigest(), wire: "AAEC", raw: "0x0102" }]
          const failed = SendingRows.ended(SendingRows.submitted(opened))
          const journal = { ...failed.journal, attempts }
          const ended = { ...failed, journal, updatedAt: Rows.at(updatedAt) }
          assert.isTrue(yield* SubmissionQueue.conclude(claimed?.lease ?? "", ended))
          assert.strictEqual(yield* store.forgetBytes(Rows.at(30), 100), 1)
          const kept = attempts.map((attempt) => ({ ...attempt, wire: "", raw: "" }))
          const found = yield* store.find(opened.key)
          assert.deepStrictEqual(found?.journal, { ...journal, attempts: kept })
          assert.isTrue(yield* store.reopen(opened.id, Rows.at(updatedAt)))
        }
        yield* SubmissionQueue.emptyQueue
      })
    )
  })
