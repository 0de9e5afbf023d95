/** What is told of the steps of an execution, and of an execution by its steps. */
import { assert, describe, it } from "@effect/vitest"
import * as Step from "../../../core/proposals/step.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import { newWait, type Wait } from "../../../core/waits/wait.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"

const account = Rows.anAccount()
const proposal = SendingRows.aProposal(account.id)
const submission = (over: Partial<Submission> = {}, act: "transfer" | "permit" = "transfer") =>
  SendingRows.aSubmission(proposal, Rows.aWallet(account.id), { act }, over)

const wait = (over: Partial<Wait> = {}): Wait => ({
  ...newWait(
    {
      id: Rows.anId(),
      accountId: account.id,
      proposalId: proposal.id,
      n: 2,
      kind: "fill",
      watch: "order book",
      chainId: "base",
      terms: {},
      deadline: Rows.at(60),
      isStopAsked: false
    },
    Rows.at(1)
  ),
  ...over
})

const ofSubmission = (one: Submission): Step.View =>
  Step.inOrder([one]).map(Step.viewOf)[0] ?? assert.fail("it is a step")
const ofWait = (one: Wait): Step.View =>
  Step.inOrder([], [one]).map(Step.viewOf)[0] ?? assert.fail("it is a step")

const txId = Rows.aTxHash()

describe("a step of an execution", () => {
  it("that is a submission is told by its status, with the transaction that ended it", () => {
    const told = (over: Partial<Submission>): ReadonlyArray<unknown> => {
      const { at, evidence, status } = ofSubmission(submission(over))
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
    const { chainId, kind, n } = ofSubmission(second)
    assert.deepStrictEqual([n, kind, chainId], [12, "permit", second.chainId])
    assert.deepStrictEqual(
      Step.inOrder([second, submission()]).map((each) => each.kind),
      ["submit", "permit"]
    )
  })

  it("that is a wait ends by evidence on the chain, and never before its deadline without", () => {
    assert.deepInclude(ofWait(wait()), { status: "waiting", txIds: [], at: Rows.at(1) })
    const evidence = { type: "transaction", id: txId } as const
    const filled = ofWait(wait({ ended: { isDone: true, evidence, at: Rows.at(5) } }))
    assert.deepInclude(filled, { status: "done", txIds: [txId], at: Rows.at(5), evidence })
    const dead = {
      ended: { isDone: false, evidence: { type: "block", id: "7" }, at: Rows.at(70) }
    } as const
    assert.deepInclude(ofWait(wait(dead)), { status: "failed", txIds: [] })
    const isDone = (one: Wait) => Step.inOrder([], [one]).map((step) => step.isDone)
    assert.deepStrictEqual([wait(), wait(dead)].flatMap(isDone), [false, false])
    assert.deepStrictEqual(
      isDone(wait({ ended: { isDone: true, evidence: null, at: Rows.at(5) } })),
      [true]
    )
    assert.isFalse(Step.isOver(wait(), Rows.at(60)))
    assert.isTrue(Step.isOver(wait(), Rows.at(60.001)))
    assert.isFalse(Step.isOver(wait(dead), Rows.at(61)))
  })
})

describe("an execution that is under way", () => {
  const executing = { ...proposal, status: "executing" } as const
  const shown = (
    steps: ReturnType<typeof Step.inOrder>,
    stopAskedAt: Wait["deadline"] | null = null
  ) => Step.underWay({ ...executing, stopAskedAt }, steps)

  it("stands as its newest step does, with the transactions of all", () => {
    const permit = submission({ status: "final", txIds: [txId] }, "permit")
    assert.deepStrictEqual(shown(Step.inOrder([permit])), {
      subStatus: "confirming",
      statusReason: null,
      txHashes: [txId]
    })
    const filling = wait({ reason: "The venue is away." })
    assert.deepStrictEqual(shown(Step.inOrder([permit], [filling])), {
      subStatus: "filling",
      statusReason: "The venue is away.",
      txHashes: [txId]
    })
  })

  it("stands as its open wait does, whatever helps beside it", () => {
    const helping = submission({ key: Step.keyOf(proposal.id, 3), reason: "No gas." })
    assert.strictEqual(shown(Step.inOrder([helping], [wait()])).subStatus, "filling")
    const before = submission({ reason: "No gas." })
    assert.strictEqual(shown(Step.inOrder([before], [wait()])).subStatus, "filling")
    const over = wait({
      ended: { isDone: false, evidence: null, at: Rows.at(2) },
      nextLookAt: null
    })
    assert.strictEqual(shown(Step.inOrder([helping], [over])).subStatus, "queued")
  })

  it("says that it is asked to stop, that it is stuck, and what its step is called", () => {
    assert.strictEqual(shown(Step.inOrder([], [wait()]), Rows.at(9)).subStatus, "cancelling")
    const stuck = wait({ isStuck: true })
    assert.strictEqual(shown(Step.inOrder([], [stuck]), Rows.at(9)).subStatus, "stuck")
    const kinds = ["order", "attest", "mint", "fulfil", "cancel", "refund"] as const
    assert.deepStrictEqual(
      kinds.map((kind) => shown(Step.inOrder([], [wait({ kind })])).subStatus),
      ["ordering", "attesting", "minting", "fulfilling", "cancelling", "refunding"]
    )
    assert.strictEqual(shown(Step.inOrder([], [wait({ kind: "permit" })])).subStatus, "confirming")
    const purpose = { ...submission().purpose, step: "mint" }
    assert.strictEqual(shown(Step.inOrder([submission({ purpose })])).subStatus, "minting")
    assert.strictEqual(ofSubmission(submission({ purpose })).kind, "mint")
  })
})
