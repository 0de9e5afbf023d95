/** The database itself keeps what is sent within its account and as it was proposed, whatever a program asks. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { outcomeAt } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { isRefused } from "../../support/constraint-errors.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const stores = Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))

layer(stores)("sending, constraints", (it) => {
  it.effect("a proposal cannot depend on another account's recipient", () =>
    Effect.gen(function* () {
      const { propose } = yield* Proposals
      const { id: recipientId } = yield* Stored.recipient((yield* Stored.account()).id)
      const { id: accountId } = yield* Stored.account()
      yield* isRefused(propose(SendingRows.aProposal(accountId, { recipientId })))
    })
  )

  it.effect("what takes a passkey is neither executed nor completed without its signature", () =>
    Effect.gen(function* () {
      const { move } = yield* Proposals
      const asked = yield* Stored.proposal({ status: "requires_action", takesPasskey: true })
      for (const status of ["executing", "completed"] as const) {
        yield* isRefused(move([{ ...asked, status, outcome: outcomeAt(status) }]))
      }
      yield* isRefused(move([{ ...asked, takesPasskey: false, signedBy: Rows.anId() }]))
      yield* move([{ ...asked, status: "executing", signedBy: Rows.anId() }])
    })
  )

  it.effect("an outcome is said of what has ended, and executed of what is completed alone", () =>
    Effect.gen(function* () {
      const { move } = yield* Proposals
      const executing = yield* Stored.proposal({ status: "executing" })
      yield* isRefused(move([{ ...executing, outcome: "executed" }]))
      yield* isRefused(move([{ ...executing, status: "completed", outcome: null }]))
      yield* isRefused(move([{ ...executing, status: "completed", outcome: "partly_executed" }]))
      yield* isRefused(move([{ ...executing, status: "failed", outcome: "executed" }]))
      yield* move([{ ...executing, status: "failed", outcome: "refunded" }])
    })
  )

  it.effect("nobody reserves for another account's proposal, nor an amount of nothing", () =>
    Effect.gen(function* () {
      const { reserve } = yield* Spending
      const proposal = yield* Stored.proposal()
      const { id: accountId } = yield* Stored.account()
      const limits = SendingRows.limits()
      yield* isRefused(reserve(SendingRows.aReservation(proposal, { accountId }), limits))
      for (const amountMicro of [0n, -1n]) {
        yield* isRefused(reserve(SendingRows.aReservation(proposal, { amountMicro }), limits))
      }
      const windows = { day: "2030-01-01", month: "2030-02" }
      yield* isRefused(reserve(SendingRows.aReservation(proposal, { windows }), limits))
    })
  )

  it.effect("nothing is sent for another account's proposal or from another account's wallet", () =>
    Effect.gen(function* () {
      const { open } = yield* SubmissionStore
      const submission = yield* SubmissionQueue.aSubmission()
      const other = yield* SubmissionQueue.aSubmission()
      const { purpose, terms } = submission
      const { accountId, proposalId } = other.purpose
      yield* isRefused(open({ ...submission, terms: { ...terms, wallet: other.terms.wallet } }))
      yield* isRefused(
        open({ ...submission, purpose: { ...purpose, proposalId: proposalId ?? "" } })
      )
      yield* isRefused(open({ ...submission, purpose: { ...purpose, accountId } }))
      yield* isRefused(open({ ...submission, purpose: { ...purpose, accountId: null } }))
      yield* isRefused(
        open({ ...submission, terms: { ...terms, amount: { ...terms.amount, units: 0n } } })
      )
      assert.isTrue(yield* open(submission))
    })
  )

  it.effect("a step stands on what was to be written down before it", () =>
    Effect.gen(function* () {
      const { open } = yield* SubmissionStore
      const submission = yield* SubmissionQueue.aSubmission()
      const submitted = SendingRows.submitted(submission)
      yield* isRefused(open({ ...submitted, relayerSequence: null }))
      yield* isRefused(open({ ...submitted, txIds: [] }))
      yield* isRefused(open({ ...submitted, nextLookAt: null }))
      assert.isTrue(yield* open(submitted))
    })
  )

  it.effect("what was proposed, what is to be sent and what limits were cannot be rewritten", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const submission = yield* SubmissionQueue.aSubmission()
      const { accountId, proposalId = "" } = submission.purpose
      if (accountId === null) return assert.fail("it is of no account")
      yield* (yield* SubmissionStore).open(submission)
      yield* (yield* Spending).revise(SendingRows.aRevision(accountId))
      const proposal = yield* (yield* Proposals).find(accountId, proposalId)
      yield* isRefused(sql`update proposal set terms = '{}' where id = ${proposalId}`)
      yield* isRefused(sql`update proposal set intent_hash = ${Rows.aDigest()}`)
      yield* isRefused(sql`update proposal set kind = 'rename_account' where id = ${proposalId}`)
      yield* isRefused(sql`update submission set terms = '{}'`)
      yield* isRefused(sql`update submission set purpose = '{"name":"theft"}'`)
      yield* isRefused(sql`update submission set chain_id = 'base'`)
      yield* isRefused(sql`update policy_revision set daily_micro = daily_micro + 1`)
      yield* isRefused(sql`delete from policy_revision`)
      assert.deepStrictEqual(yield* (yield* Proposals).find(accountId, proposalId), proposal)
      assert.deepStrictEqual(yield* (yield* SubmissionStore).find(submission.key), submission)
      const revision = yield* (yield* Spending).revision(accountId)
      assert.deepStrictEqual(revision, SendingRows.aRevision(accountId))
    })
  )

  it.effect("no status, kind or hash is made up", () =>
    Effect.gen(function* () {
      const { propose } = yield* Proposals
      const { id: accountId } = yield* Stored.account()
      const madeUp: ReadonlyArray<Readonly<Record<string, string>>> = [
        { status: "sent" },
        { kind: "steal" },
        { intentHash: "abc" }
      ]
      for (const over of madeUp) {
        yield* isRefused(propose({ ...SendingRows.aProposal(accountId), ...over }))
      }
    })
  )
})
