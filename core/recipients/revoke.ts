/** Revokes a recipient: it may not be paid from the commit on, and what waited to pay it is superseded. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { move } from "../proposals/move.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { find } from "./find.ts"
import * as Recipient from "./recipient.ts"
import { Recipients } from "./recipient-store.ts"
import { closeApproval } from "./release.ts"

const supersede = Effect.fnUntraced(function* (proposalId: string, actor: string) {
  const proposal = yield* (yield* Proposals).lock(proposalId)
  if (proposal?.status !== "pending_confirm" && proposal?.status !== "requires_action") return
  yield* move(proposal, { status: "superseded", statusReason: "The recipient was revoked." }, actor)
})

export const revokeRecipient = Operation.make("revoke_recipient", {
  summary:
    "Revokes a recipient at once and supersedes waiting proposals that pay it; transfers that are already signed continue.",
  next: "Adding the address again starts a new cooldown.",
  scope: "recipients:write",
  sideEffect: "write",
  authority: byScope,
  input: { recipientId: Recipient.RecipientId },
  output: Recipient.fields,
  refusals: [NotFound],
  example: { input: { recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ recipientId }) {
    const { accountId, keyId } = yield* Caller
    const recipients = yield* Recipients
    const { status } = yield* find(recipientId)
    // Proposals before the recipient, in the order a confirmation locks them.
    const waiting =
      status === "revoked" ? [] : yield* (yield* Proposals).waitingOn(accountId, recipientId)
    for (const id of waiting) yield* supersede(id, keyId)
    const recipient = (yield* recipients.lock(accountId, recipientId)) as Recipient.Recipient
    const now = yield* DateTime.now
    if (recipient.status === "revoked") return Recipient.view(recipient, now)
    const revoked = { ...recipient, status: "revoked" as const }
    yield* recipients.revise(revoked)
    yield* closeApproval(recipientId, "superseded")
    yield* record({
      accountId,
      actor: keyId,
      action: "recipient.revoked",
      subjectType: "recipient",
      subjectId: recipientId
    })
    return Recipient.view(revoked, now)
  })
})
