/** What is told of the steps of an execution, and what came of a proposal by what its steps did. */
import { assert, describe, it } from "@effect/vitest"
import type { Status as ProposalStatus } from "../../../core/proposals/proposal.ts"
import * as Step from "../../../core/proposals/step.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"

const account = Rows.anAccount()
const proposal = SendingRows.aProposal(account.id)
const submission = (over: Partial<Submission> = {}, act: "transfer" | "permit" = "transfer") =>
  SendingRows.aSubmission(proposal, Rows.aWallet(account.id), { act }, over)

const wait = (ended: Step.Wait["ended"] = null): Step.Wait => ({
  n: 2,
  kind: "fill",
  chainId: "base",
  openedAt: Rows.at(1),
  deadline: Rows.at(60),
  ended
})

const txId = Rows.aTxHash()

describe("a step of an execution", () => {
  it("that is a submission is told by its status, with the transaction that ended it", () => {
    const told = (over: Partial<Submission>): ReadonlyArray<unknown> => {
      const { at, evidence, status } = Step.ofSubmission(submission(over))
      return [status, at, evidence]
    }
    const later = { txIds: [txId], updatedAt: Rows.at(9) }
    assert.deepStrictEqual(told({}), ["waiting", Rows.at(0), null])
    assert.deepStrictEqual(told({ status: "signed" }), ["waiting", Rows.at(0), null])
    const submitted = ["submitted", Rows.at(0), null]
    assert.deepStrictEqual(told({ ...later, status: "submitted" }), submitted)
    assert.deepStrictEqual(told({ ...later, status: "seen" }), submitted)
    const evidence = { type: "transaction", id: txId }
    assert.deepStrictEqual(told({ ...later, status: "final" }), ["done", Rows.at(9), evidence])
    assert.deepStrictEqual(told({ ...later, status: "failed" }), ["failed", Rows.at(9), null])
  })

  it("is named for what it does, and numbered in its place", () => {
    const second = submission({ key: Step.keyOf(proposal.id, 12) }, "permit")
    const { chainId, kind, n } = Step.ofSubmission(second)
    assert.deepStrictEqual([n, kind, chainId], [12, "permit", second.chainId])
    assert.deepStrictEqual(
      Step.inOrder([second, submission()]).map((each) => Step.ofSubmission(each).kind),
      ["submit", "permit"]
    )
  })

  it("that is a wait ends by evidence on the chain, and never before its deadline without", () => {
    assert.deepInclude(Step.ofWait(wait()), { status: "waiting", txIds: [], at: Rows.at(1) })
    const evidence = { type: "transaction", id: txId } as const
    const filled = Step.ofWait(wait({ isDone: true, evidence, at: Rows.at(5) }))
    assert.deepInclude(filled, { status: "done", txIds: [txId], at: Rows.at(5), evidence })
    const dead = { isDone: false, evidence: { type: "block", id: "7" }, at: Rows.at(70) } as const
    assert.deepInclude(Step.ofWait(wait(dead)), { status: "failed", txIds: [] })
    assert.isFalse(Step.isOver(wait(), Rows.at(60)))
    assert.isTrue(Step.isOver(wait(), Rows.at(60.001)))
    assert.isFalse(Step.isOver(wait(dead), Rows.at(61)))
  })
})

describe("what came of a proposal", () => {
  const done = Step.ofSubmission(submission({ status: "final", txIds: [txId] }, "permit"))
  const failed = Step.ofSubmission(submission({ status: "failed" }))
  const cases: ReadonlyArray<
    readonly [ProposalStatus, ReadonlyArray<Step.View>, ReturnType<typeof Step.outcomeOf>]
  > = [
    ["pending_confirm", [], null],
    ["executing", [done], null],
    ["completed", [done], "executed"],
    ["completed", [], "executed"],
    ["failed", [], "not_executed"],
    ["failed", [failed], "not_executed"],
    ["failed", [done, failed], "partly_executed"],
    ["failed", [done, { ...done, kind: "refund" }], "refunded"],
    ["rejected", [], "not_executed"],
    ["superseded", [], "not_executed"]
  ]
  it("is read from its end and from the steps that were done", () => {
    for (const [status, steps, outcome] of cases) {
      assert.strictEqual(Step.outcomeOf({ status }, steps), outcome)
    }
  })
})
