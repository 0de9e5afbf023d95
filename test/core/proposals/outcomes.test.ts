/** What follows from the state of a proposal, a step, a delivery or a recipient: each state one by one. */
import { assert, describe, it } from "@effect/vitest"
import {
  isTerminal,
  isUnsigned,
  leadingTo,
  outcomeAt,
  Status
} from "../../../core/proposals/proposal.ts"
import * as Step from "../../../core/proposals/step.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import * as Delivery from "../../../core/webhooks/delivery.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"

const account = Rows.anAccount()
const proposal = SendingRows.aProposal(account.id)
const submission = (over: Partial<Submission>) =>
  SendingRows.aSubmission(proposal, Rows.aWallet(account.id), {}, over)

describe("The state of a proposal", () => {
  it("says what came of it once it has ended, and nothing before", () => {
    const outcomes = Object.fromEntries(Status.literals.map((each) => [each, outcomeAt(each)]))
    assert.deepStrictEqual(outcomes, {
      pending_confirm: null,
      requires_action: null,
      executing: null,
      completed: "executed",
      failed: "not_executed",
      rejected: "not_executed",
      cancelled: "not_executed",
      expired: "not_executed",
      superseded: "not_executed"
    })
    assert.deepStrictEqual(
      Status.literals.filter(isTerminal),
      Status.literals.filter((each) => outcomeAt(each) !== null)
    )
  })

  it("is written over by what leads there, and by nothing else", () => {
    assert.deepStrictEqual(leadingTo("executing"), [
      "pending_confirm",
      "requires_action",
      "executing"
    ])
    assert.deepStrictEqual(leadingTo("pending_confirm"), ["pending_confirm"])
    assert.deepStrictEqual(leadingTo("rejected"), ["requires_action", "rejected"])
  })

  it("waits for a passkey that it takes and does not have", () => {
    assert.isTrue(isUnsigned({ takesPasskey: true, signedBy: null }))
    assert.isFalse(isUnsigned({ takesPasskey: true, signedBy: "somebody" }))
    assert.isFalse(isUnsigned({ takesPasskey: false, signedBy: null }))
    assert.isFalse(isUnsigned({ takesPasskey: false, signedBy: "somebody" }))
  })
})

describe("A step", () => {
  it("is told by the state of its submission, and otherwise while something stands in its way", () => {
    const told = (reason: string | null) =>
      (["prepared", "signed", "submitted", "seen", "final", "failed"] as const).map((status) =>
        Step.subStatusOf(submission({ status, reason }))
      )
    const going = ["queued", "signing", "broadcast", "confirming", "confirming", "unknown"]
    assert.deepStrictEqual(told(null), going)
    const stopped = ["queued", "queued", "unknown", "unknown", "confirming", "unknown"]
    assert.deepStrictEqual(told("The chain does not answer."), stopped)
  })

  it("is ended when its submission is, and done when that is final", () => {
    const of = (status: Submission["status"]) => {
      const [step] = Step.inOrder([submission({ status })])
      return [step?._tag, step?.isEnded, step?.isDone]
    }
    assert.deepStrictEqual(of("seen"), ["submission", false, false])
    assert.deepStrictEqual(of("final"), ["submission", true, true])
    assert.deepStrictEqual(of("failed"), ["submission", true, false])
  })

  it("whose chain says nothing is unknown, though somebody asked it to stop", () => {
    const executing = { ...proposal, status: "executing", stopAskedAt: Rows.at(9) } as const
    const shown = (over: Partial<Submission>) =>
      Step.underWay(executing, Step.inOrder([submission(over)])).subStatus
    assert.strictEqual(shown({ status: "submitted", reason: "No answer." }), "unknown")
    assert.strictEqual(shown({ status: "submitted" }), "cancelling")
  })

  it("is not shown of what does not execute, nor where there is none", () => {
    const ended = { ...proposal, status: "completed", statusReason: "why" } as const
    const steps = Step.inOrder([submission({ status: "final", txIds: [Rows.aTxHash()] })])
    const nothing = { subStatus: null, statusReason: "why", txHashes: ended.txHashes }
    assert.deepStrictEqual(Step.underWay(ended, steps), nothing)
    const executing = { ...ended, status: "executing" } as const
    assert.deepStrictEqual(Step.underWay(executing, []), nothing)
  })
})

describe("The state of a delivery", () => {
  const accountId = Rows.anId()
  const delivery = Rows.aDelivery(Rows.anEvent(accountId), Rows.anEndpoint(accountId))
  const as = (status: Delivery.Delivery["status"]) => ({ ...delivery, status })

  it("says whether it is still to be sent", () => {
    const waiting = (
      ["pending", "retrying", "delivered", "failed", "gone", "skipped"] as const
    ).filter((status) => Delivery.isWaiting({ status }))
    assert.deepStrictEqual(waiting, ["pending", "retrying"])
  })

  it("that was skipped under way is not tried again, and keeps any other end", () => {
    const skipped = { ...delivery, status: "skipped" as const, nextAttemptAt: null }
    assert.deepStrictEqual(Delivery.skipped(delivery), skipped)
    const retrying = { ...as("retrying"), nextAttemptAt: Rows.at(30) }
    assert.deepStrictEqual(Delivery.concluded(as("skipped"), retrying), skipped)
    assert.deepStrictEqual(Delivery.concluded(as("pending"), retrying), retrying)
    assert.deepStrictEqual(Delivery.concluded(as("skipped"), as("delivered")), as("delivered"))
  })

  it("waits a day after attempts beyond its schedule", () => {
    assert.strictEqual(Delivery.waitMs(99, 0.5), 24 * 3_600_000)
  })
})
