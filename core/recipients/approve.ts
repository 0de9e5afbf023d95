/**
 * Approves a recipient before its cooldown has passed. With an agent's key the funding wallet signs for it;
 * a human's is confirmed with a passkey over the same intent.
 */
import { DateTime, Effect, Schema } from "effect"
import { Caller } from "../caller.ts"
import * as Challenge from "../governance/challenge.ts"
import * as Prove from "../governance/prove.ts"
import * as Operation from "../operation.ts"
import { Recipients } from "../ports/recipients.ts"
import * as Kind from "../proposals/kind.ts"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import { InvalidRequest, NotFound } from "../refusal.ts"
import * as Recipient from "./recipient.ts"
import { releaseFromCooldown } from "./release.ts"

const terms = {
  recipientId: Schema.String,
  address: Schema.String,
  chainId: Schema.String,
  challengeId: Schema.NullOr(Schema.String)
}
type Terms = Schema.Struct<typeof terms>["Type"]

/** The recipient locked, and in its cooldown still. */
const waiting = Effect.fnUntraced(function* (accountId: string, recipientId: string) {
  const recipient = yield* (yield* Recipients).lock(accountId, recipientId)
  const now = yield* DateTime.now
  if (recipient !== undefined && Recipient.isCoolingDown(recipient, now)) return recipient
  return yield* new InvalidRequest({
    param: "recipientId",
    message:
      recipient?.status === "revoked"
        ? "This recipient was revoked; add its address again."
        : "This recipient may be paid already; there is nothing to approve.",
    next: { operation: "list_recipients", args: {} }
  })
})

const approve = Effect.fnUntraced(function* (proposal: Proposal, { recipientId }: Terms) {
  const { accountId, proposedBy } = proposal
  yield* waiting(accountId, recipientId)
  yield* releaseFromCooldown(accountId, recipientId, proposedBy, { proposalId: proposal.id })
  return { status: "completed" as const }
})

export const approveRecipientKind = Kind.define("approve_recipient", {
  movesMoney: false,
  terms,
  summary: ({ address, chainId }) => `Approve ${address} on ${chainId} before its cooldown ends`,
  judge: (accountId, { recipientId }) => Effect.asVoid(waiting(accountId, recipientId)),
  perform: approve
})

export const approveRecipient = Operation.informed("approve_recipient", {
  summary:
    "Approves a recipient before its cooldown ends. With an agent's key the first call answers with a challenge, and the signed one approves at once; a human confirms it with their passkey.",
  next: "With a challenge: sign its message with the funding wallet and call again with challengeId and walletSignature. Otherwise confirm_proposal.",
  scope: "recipients:write",
  nature: "write",
  input: { recipientId: Recipient.RecipientId, ...Challenge.input },
  output: Challenge.orChallenge(View.fields),
  refusals: [NotFound, ...Prove.refusals],
  example: { input: { recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  beforehand: ({ recipientId, ...given }) =>
    Prove.prove("approve_recipient", { recipientId }, given),
  run: Effect.fnUntraced(function* ({ recipientId }, proof) {
    const { accountId, kind, keyId } = yield* Caller
    const { address, chainId } = yield* Recipient.find(recipientId)
    const wanted: Terms = { recipientId, address, chainId, challengeId: null }
    if (proof._tag === "signed") {
      yield* Prove.use(proof.challenge)
      const signed = { ...wanted, challengeId: proof.challenge.id }
      const proposal = yield* propose(approveRecipientKind, signed, { recipientId })
      const done = yield* approve(proposal, signed)
      return yield* View.view(
        yield* move(proposal, { ...done, confirmedAt: proposal.createdAt }, keyId)
      )
    }
    if (kind !== "agent") {
      return yield* View.view(yield* propose(approveRecipientKind, wanted, { recipientId }))
    }
    yield* waiting(accountId, recipientId)
    const statement = `Allow account ${accountId} to pay ${address} on ${chainId} before its cooldown ends.`
    const issued = yield* Prove.challenge("approve_recipient", proof.payloadHash, statement)
    return { challenge: Challenge.show(issued) }
  })
})
