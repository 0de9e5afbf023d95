/**
 * Every state of what moves money has the name that is published, and leads only where the contract says: clients have
 * these words in their code, so that none may change by an edit that nobody noticed.
 */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Payments from "../../core/payments/status.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import * as View from "../../core/payments/view.ts"
import * as Proposals from "../../core/proposals/proposal.ts"
import * as Step from "../../core/proposals/step.ts"
import * as Recipient from "../../core/recipients/recipient.ts"
import * as Wait from "../../core/waits/wait.ts"
import * as Delivery from "../../core/webhooks/delivery.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"

/** Of an attempt whose block has so many above it. */
const attemptStatus = (transfer: Transfer, above: number) =>
  View.attemptView(transfer, transfer.blockNumber + above).status

const issues = ["none", "underpaid", "overpaid", "late", "ambiguous"]

describe("a payment request", () => {
  it("is in one of six states, and takes money in three", () => {
    const payable = ["open", "processing", "partially_paid"]
    const ended = ["expired", "cancelled"]
    const all = ["open", "processing", "partially_paid", "paid", "expired", "cancelled"]
    assert.deepStrictEqual([...Payments.Status.literals], all)
    assert.deepStrictEqual([...Payments.payableStatuses], payable)
    assert.deepStrictEqual([...Payments.endedStatuses], ended)
    assert.deepStrictEqual(Payments.Status.literals.filter(Payments.isPayable), payable)
  })

  it("has attempts in four states, all of which a transfer is in", () => {
    const states = ["seen", "confirmed", "final", "reorged"]
    assert.deepStrictEqual([...View.Attempt.fields.status.literals], states)
    const transfer = Rows.aTransfer(Rows.aVault(Rows.anId()))
    const produced = [
      attemptStatus({ ...transfer, state: "seen" }, 0),
      attemptStatus({ ...transfer, state: "seen" }, 1),
      attemptStatus({ ...transfer, state: "final" }, 9),
      attemptStatus({ ...transfer, state: "reorged" }, 9)
    ]
    assert.deepStrictEqual(produced, states)
  })

  it("and a deposit have issues, and only a deposit repeats a payment", () => {
    assert.deepStrictEqual([...Payments.SettlementIssue.literals], issues)
    assert.deepStrictEqual([...Payments.DepositIssue.literals], [...issues, "duplicate"])
  })
})

const ends = ["cancelled", "expired", "superseded"] as const

describe("a proposal", () => {
  it("goes from each state where the contract says, and from its ends nowhere", () => {
    const isSo = Object.fromEntries(
      Proposals.Status.literals.map((from) => [
        from,
        Proposals.Status.literals.filter((to) => Proposals.mayFollow(from, to))
      ])
    )
    assert.deepStrictEqual(isSo, {
      pending_confirm: ["requires_action", "executing", "completed", "failed", ...ends],
      requires_action: ["executing", "completed", "failed", "rejected", ...ends],
      executing: ["completed", "failed"],
      completed: [],
      failed: [],
      rejected: [],
      cancelled: [],
      expired: [],
      superseded: []
    })
  })

  it("may go to nothing that is no state", () => {
    const isNone = Schema.is(Proposals.Status)
    for (const text of ["", "done", "Stryker was here"]) {
      assert.isFalse(isNone(text))
      for (const from of Proposals.Status.literals) {
        assert.isFalse(Proposals.mayFollow(from, text as Proposals.Status), `${from} to ${text}`)
      }
    }
  })

  it("tells where its execution stands, and what came of it", () => {
    const standing = [
      ...["queued", "signing", "broadcast", "confirming", "unknown", "ordering", "filling"],
      ...["attesting", "minting", "fulfilling", "cancelling", "refunding", "stuck"]
    ]
    assert.deepStrictEqual([...Proposals.SubStatus.literals], standing)
    const isOutcome = Schema.is(Proposals.Outcome)
    for (const outcome of [null, "executed", "not_executed", "partly_executed", "refunded"]) {
      assert.isTrue(isOutcome(outcome), `${outcome}`)
    }
    assert.isFalse(isOutcome(""))
  })

  it("is refused by codes of a kind", () => {
    const kinds = [
      Proposals.ProposalNotConfirmable,
      Proposals.IntentMismatch,
      Proposals.PolicyLimitExceeded,
      Proposals.RecipientNotApproved
    ].map(({ code, kind }) => [code, kind])
    assert.deepStrictEqual(kinds, [
      ["PROPOSAL_NOT_CONFIRMABLE", "conflict"],
      ["INTENT_MISMATCH", "conflict"],
      ["POLICY_LIMIT_EXCEEDED", "forbidden"],
      ["RECIPIENT_NOT_APPROVED", "forbidden"]
    ])
  })
})

const stepKinds = [
  ...["permit", "approve", "order", "submit", "fill", "burn", "attest", "mint", "fulfil"],
  ...["cancel", "refund"]
]

describe("a step", () => {
  it("is of a kind, in a state, and ended by a transaction or a block", () => {
    assert.deepStrictEqual([...Wait.StepKind.literals], stepKinds)
    const view = { n: 1, kind: "fill", chainId: "base", txIds: [], evidence: null }
    const isView = Schema.is(Schema.toEncoded(Step.View))
    for (const status of ["waiting", "submitted", "done", "failed"]) {
      assert.isTrue(isView({ ...view, status, at: "2026-01-01T00:00:00.000Z" }), status)
    }
    assert.isFalse(isView({ ...view, status: "", at: "2026-01-01T00:00:00.000Z" }))
    assert.isFalse(isView({ status: "done" }))
    const isEvidence = Schema.is(Wait.Evidence)
    for (const type of ["transaction", "block"]) assert.isTrue(isEvidence({ type, id: "0x1" }))
    assert.isFalse(isEvidence({ type: "", id: "0x1" }))
    assert.isFalse(isEvidence({ type: "block" }))
  })

  it("that is a wait knows the order that was signed for it, and no other", () => {
    assert.strictEqual(Wait.signedOrderIn({ journal: { signed: { orderId: "0xabc" } } }), "0xabc")
    for (const journal of [{}, { signed: {} }, { orderId: "0xabc" }, { signed: { orderId: 1 } }]) {
      assert.isUndefined(Wait.signedOrderIn({ journal }), JSON.stringify(journal))
    }
  })
})

describe("a delivery", () => {
  it("is in one of six states, and tried ten times over three days", () => {
    const all = ["pending", "delivered", "retrying", "failed", "skipped", "gone"]
    assert.deepStrictEqual([...Delivery.DeliveryStatus.literals], all)
    const minutes = [0.5, 2, 10, 60, 360, 720, 1440, 1440, 1440]
    assert.deepStrictEqual(
      Delivery.waitsMs.map((ms) => ms / 60_000),
      minutes
    )
    assert.strictEqual(Delivery.maxAttempts, 10)
  })
})

describe("a recipient", () => {
  it("is in one of three states, and is told with its cooldown", () => {
    assert.deepStrictEqual(
      [...Recipient.fields.status.literals],
      ["pending", "approved", "revoked"]
    )
    assert.deepStrictEqual(Object.keys(Recipient.fields), [
      ...["id", "label", "address", "chainId", "status"],
      ...["cooldownActive", "cooldownEndsAt", "requiredMemo", "createdAt"]
    ])
    const recipient = SendingRows.aRecipient(Rows.anAccount().id, {
      status: "pending",
      cooldownEndsAt: Rows.at(10)
    })
    assert.deepInclude(Recipient.view(recipient, Rows.at(9)), {
      status: "pending",
      cooldownActive: true
    })
    assert.deepInclude(Recipient.view(recipient, Rows.at(10)), {
      status: "approved",
      cooldownActive: false
    })
    assert.deepStrictEqual(Recipient.missing, {
      param: "recipientId",
      what: "recipient",
      operation: "list_recipients"
    })
  })
})
