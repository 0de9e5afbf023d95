/**
 * Releases a recipient from its cooldown, by whatever has approved it, and the kind of proposal by which its
 * owner does; one that is not in its cooldown is left alone.
 */

import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Address } from "../chains/address.ts"
import { Approvals } from "../cosigners/cosigner-store.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import * as Recipient from "./recipient.ts"
import { Recipients } from "./recipient-store.ts"

/** Ends what co-signers could decide of a recipient; its approval goes by the recipient's own id. */
export const closeApproval = Effect.fnUntraced(function* (
  recipientId: string,
  status: "approved" | "superseded"
) {
  const approvals = yield* Approvals
  const approval = yield* approvals.find(recipientId)
  if (approval?.status === "pending") yield* approvals.revise({ ...approval, status })
})

/** Whether there was one to release. */
export const releaseFromCooldown = Effect.fnUntraced(function* (
  accountId: string,
  recipientId: string,
  actor: string,
  facts: Readonly<Record<string, string>> = {}
) {
  const recipients = yield* Recipients
  const recipient = yield* recipients.lock(accountId, recipientId)
  const isWaiting =
    recipient !== undefined && Recipient.isCoolingDown(recipient, yield* DateTime.now)
  if (!isWaiting) return false
  yield* recipients.revise({ ...recipient, status: "approved" })
  yield* closeApproval(recipientId, "approved")
  yield* record({
    accountId,
    actor,
    action: "recipient.approved",
    subjectType: "recipient",
    subjectId: recipientId,
    facts
  })
  return true
})

const terms = {
  recipientId: Schema.String,
  address: Address,
  chainId: Schema.String,
  challengeId: Schema.NullOr(Schema.String)
}
export type Terms = Schema.Struct<typeof terms>["Type"]

/** The recipient locked, and in its cooldown still. */
export const waiting = Effect.fnUntraced(function* (accountId: string, recipientId: string) {
  const recipient = yield* (yield* Recipients).lock(accountId, recipientId)
  const now = yield* DateTime.now
  if (recipient !== undefined && Recipient.isCoolingDown(recipient, now)) return recipient
  return yield* new InvalidRequest({
    param: "recipientId",
    message:
      recipient?.status === "revoked"
        ? "This recipient was revoked; add its address again."
        : "This recipient can already be paid; there is nothing to approve.",
    next: { operation: "list_recipients", args: {} }
  })
})

/** Done by the owner's own proposal. */
export const approve = Effect.fnUntraced(function* (proposal: Proposal, { recipientId }: Terms) {
  const { accountId, proposedBy } = proposal
  yield* waiting(accountId, recipientId)
  yield* releaseFromCooldown(accountId, recipientId, proposedBy, { proposalId: proposal.id })
  return { status: "completed" as const }
})

export const approveRecipientKind = Kind.define("approve_recipient", {
  title: "Approve a recipient at once",
  movesMoney: false,
  governs: true,
  made: "list_recipients shows the recipient",
  refusals: [InvalidRequest],
  terms,
  summary: ({ address, chainId }) => `Approve ${address} on ${chainId} before its cooldown ends`,
  check: (accountId, { recipientId }) => Effect.asVoid(waiting(accountId, recipientId)),
  perform: approve
})
