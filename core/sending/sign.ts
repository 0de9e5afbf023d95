/**
 * The step that signs a send. A recipient revoked before it ends the send unpaid; records that disagree
 * leave it where it is, unsigned and told to the operator, until a person has looked into it.
 */
import { Effect } from "effect"
import { signatureRefused } from "../operation/metrics.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import type { Execution } from "../submissions/execution.ts"
import type { Claimed } from "../submissions/execution-store.ts"
import { Identity, ofProposal } from "../submissions/identity.ts"
import { SigningDenied } from "../submissions/signing-denied.ts"
import { Submitter } from "../submissions/submitter.ts"
import { fail, later, onward, tell } from "./progress.ts"

/** How long the token takes an authorization: long enough to confirm, short enough to end in doubt soon. */
export const validForSeconds = 1200

const isRevoked = Effect.fnUntraced(function* ({ accountId, proposalId }: Execution) {
  const proposal = yield* (yield* Proposals).find(accountId, proposalId)
  const recipientId = proposal?.recipientId ?? null
  if (recipientId === null) return false
  return (yield* (yield* Recipients).find(accountId, recipientId))?.status === "revoked"
})

/** Of the proposal as it is stored, since that alone says by which call it was proposed. */
const identityOf = Effect.fnUntraced(function* ({ accountId, proposalId }: Execution) {
  const proposal = yield* (yield* Proposals).find(accountId, proposalId)
  return (yield* Identity).derive(
    ofProposal({ id: proposalId, accountId, call: proposal?.call ?? null })
  )
})

const revokedReason = "The recipient was revoked before the send was signed."

export const sign = Effect.fnUntraced(function* (claimed: Claimed) {
  const { execution } = claimed
  const payouts = yield* Submitter
  const { chainTime } = yield* payouts.conditions(execution.chainId)
  if (yield* isRevoked(execution)) {
    return yield* fail(claimed, revokedReason)
  }
  const authorization = yield* payouts.authorize({
    ...execution,
    identity: yield* identityOf(execution),
    validBefore: chainTime + validForSeconds
  })
  yield* tell(execution, { subStatus: "signing", statusReason: null })
  return yield* onward({ ...execution, step: "signed", authorization })
})

/** Rare enough to look into, often enough that a send goes on soon after the records are put right. */
const unwarrantedWaitMs = 60_000

/** Nothing is signed, nothing is ended and nothing given back; any other defect stays one. */
export const signingDenied = Effect.fnUntraced(function* (claimed: Claimed, defect: unknown) {
  const { execution } = claimed
  if (!(defect instanceof SigningDenied)) return yield* Effect.die(defect)
  // Revoked between our look and the signer's own, which is no disagreement.
  if (execution.authorization === null && (yield* isRevoked(execution))) {
    return yield* fail(claimed, revokedReason)
  }
  yield* Effect.logError(defect.message)
  yield* signatureRefused(execution.chainId)
  yield* tell(execution, {
    subStatus: "queued",
    statusReason: "The signing policy denied the signature; the operator is alerted."
  })
  return yield* later(execution, unwarrantedWaitMs)
})
