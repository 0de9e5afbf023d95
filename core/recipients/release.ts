/** Releases a recipient from its cooldown, by whatever has approved it; one that is not in it is left alone. */
import { DateTime, Effect } from "effect"
import { record } from "../audit/record.ts"
import { Approvals } from "../ports/approvals.ts"
import { Recipients } from "../ports/recipients.ts"
import * as Recipient from "./recipient.ts"

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
