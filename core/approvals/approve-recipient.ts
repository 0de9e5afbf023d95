/**
 * Approves a recipient before its cooldown has passed. With an agent's key the funding wallet signs for it; a
 * human's is confirmed with a passkey over the same intent; a co-signer's of the owner is a vote.
 */

import { Effect } from "effect"
import { Approvals } from "../cosigners/cosigner-store.ts"
import * as Challenge from "../governance/challenge.ts"
import * as Prove from "../governance/prove.ts"
import { requestGovernance } from "../governance/waiting.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { noSuch } from "../operation/own.ts"
import { move } from "../proposals/move.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { propose } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import * as Recipient from "../recipients/recipient.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { approve, approveRecipientKind, type Terms, waiting } from "../recipients/release.ts"
import * as Vote from "./vote.ts"

/** The vote of a co-signer, told as the approval of the proposal that added the recipient. */
const byCosigner = Effect.fnUntraced(function* (recipientId: string) {
  const approval = yield* (yield* Approvals).find(recipientId)
  if (approval?.recipientId !== recipientId) return yield* noSuch(Recipient.missing)
  yield* Effect.catchTag(Vote.decide(recipientId, true), "NOT_FOUND", () =>
    Effect.fail(noSuch(Recipient.missing))
  )
  const { accountId, proposalId } = approval
  const proposal = (yield* (yield* Proposals).find(accountId, proposalId)) as Proposal
  return yield* View.view(proposal)
})

export const approveRecipient = Operation.prepared("approve_recipient", {
  summary:
    "Approves a recipient before its cooldown ends. With an agent's key the first call returns a challenge, and the second call with its signature approves at once; a person confirms it with their passkey. A co-signer's call for another account's recipient is their vote.",
  next: "With a challenge: sign its message with the funding wallet and call again with challengeId and walletSignature. Otherwise confirm_proposal.",
  scope: "recipients:write",
  sideEffect: "write",
  sinceThen: View.sinceThen,
  authority: Prove.requireOwn,
  input: { recipientId: Recipient.RecipientId, ...Challenge.input },
  output: Challenge.orChallenge(View.proposed),
  refusals: [...Vote.refusals, ...Prove.refusals],
  example: { input: { recipientId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  prepare: ({ recipientId, ...given }) => Prove.prove("approve_recipient", { recipientId }, given),
  handle: Effect.fnUntraced(function* ({ recipientId }, proof) {
    const { accountId, kind, keyId } = yield* Caller
    const own = yield* (yield* Recipients).find(accountId, recipientId)
    if (own === undefined) return yield* byCosigner(recipientId)
    const { address, chainId } = own
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
      const proposal = yield* propose(approveRecipientKind, wanted, { recipientId })
      yield* requestGovernance({
        action: "approve_recipient",
        payload: { recipientId, proposalId: proposal.id },
        payloadHash: proof.payloadHash,
        summary: proposal.summary
      })
      return yield* View.view(proposal)
    }
    yield* waiting(accountId, recipientId)
    const statement = `Allow account ${accountId} to pay ${address} on ${chainId} before its cooldown ends.`
    const issued = yield* Prove.challenge("approve_recipient", proof.payloadHash, statement)
    return { challenge: Challenge.show(issued) }
  })
})
