/**
 * A human's passkey signs a proposal's intent. Of passkey and votes, whichever comes last does the thing,
 * in its own transaction and judged by everything as it is then; a proposal nobody has confirmed yet is
 * confirmed by the same signature.
 */
import { DateTime, Effect, type Schema } from "effect"
import { requireRunning } from "../accounts/pause.ts"
import { settingsOf } from "../accounts/read-settings.ts"
import { record } from "../audit/record.ts"
import { SelfApprovalForbidden } from "../cosigners/approval.ts"
import { Approvals, Cosigners } from "../cosigners/cosigner-store.ts"
import { canonical } from "../encoding/canonical.ts"
import { callerOf, type SignedIn } from "../humans/authenticate.ts"
import { take } from "../humans/begin-passkey-challenge.ts"
import { askToSign } from "../humans/credential-options.ts"
import { actorOf } from "../humans/human.ts"
import { Humans } from "../humans/human-store.ts"
import type { Passkey } from "../humans/passkey.ts"
import { requireRole } from "../humans/require-role.ts"
import { using, verify } from "../humans/verify.ts"
import { Caller } from "../operation/caller.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { roleRefusal } from "../operation/role.ts"
import { watch } from "../operation/taking-authority.ts"
import type { AssertionAnswer } from "../ports/passkeys.ts"
import { isSignedByHumans, notConfirmable } from "../proposals/confirm.ts"
import { evaluateVotes, openApproval, reject, requiredApprovals } from "../proposals/end-vote.ts"
import { execute } from "../proposals/execute.ts"
import { find } from "../proposals/find.ts"
import { kindOf } from "../proposals/kind.ts"
import { move } from "../proposals/move.ts"
import { actWithinDays, IntentMismatch, type Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { intentOf } from "../proposals/propose.ts"
import * as View from "../proposals/view.ts"
import { endRequestOf } from "./linked-request.ts"

/** What is signed: the whole intent as the records hold it, and its hash. */
const contentOf = (proposal: Proposal): Schema.JsonObject => ({
  intent: intentOf(proposal),
  intentHash: proposal.intentHash
})

/** Refuses the person who proposed it, where somebody else could sign and the account has not said otherwise. */
const requireAnother = Effect.fnUntraced(function* (
  { accountId, proposedBy }: Proposal,
  humanId: string
) {
  if (proposedBy !== actorOf(humanId)) return
  if (!(yield* settingsOf(accountId)).secondPersonSigns) return
  const people = yield* (yield* Humans).of(accountId)
  const signers = people.filter(({ joinedAt, role }) => joinedAt !== null && role !== "viewer")
  if (signers.length < 2) return
  return yield* new SelfApprovalForbidden({
    message: "You proposed this; another owner or approver must sign it."
  })
})

/** Refuses what no passkey is asked for, or no more. */
const signable = Effect.fnUntraced(function* (proposal: Proposal) {
  if (!isSignedByHumans(yield* kindOf(proposal))) {
    return yield* new InvalidRequest({
      param: "proposalId",
      message: "This proposal needs no passkey; use confirm_proposal.",
      next: { operation: "confirm_proposal", args: { proposalId: proposal.id } }
    })
  }
  const isWaiting = proposal.status === "pending_confirm" || proposal.status === "requires_action"
  if (!isWaiting) return yield* notConfirmable(proposal, `is ${proposal.status}`)
  if (DateTime.isLessThanOrEqualTo(proposal.expiresAt, yield* DateTime.now)) {
    return yield* notConfirmable(proposal, "has expired")
  }
})

/** Notes the signature, and with it the confirmation if it had none. */
const signed = Effect.fnUntraced(function* (proposal: Proposal, passkey: Passkey) {
  const now = yield* DateTime.now
  const isNew = proposal.status === "pending_confirm"
  const { humanId, id: passkeyId } = passkey
  const change = {
    takesPasskey: true,
    signedBy: humanId,
    confirmedBy: isNew ? actorOf(humanId) : proposal.confirmedBy,
    confirmedAt: proposal.confirmedAt ?? now,
    expiresAt: isNew ? DateTime.add(now, { days: actWithinDays }) : proposal.expiresAt,
    status: "requires_action" as const
  }
  yield* record({
    accountId: proposal.accountId,
    actor: actorOf(humanId),
    action: "proposal.signed",
    subjectType: "proposal",
    subjectId: proposal.id,
    facts: { intentHash: proposal.intentHash, passkeyId }
  })
  return yield* move(proposal, change, actorOf(humanId))
})

/**
 * Signs the proposal in the running transaction and does it, unless votes are still to come. `seen` is what
 * the passkey has signed for.
 */
export const sign = Effect.fnUntraced(function* (seen: Proposal, passkey: Passkey) {
  const actor = actorOf(passkey.humanId)
  yield* requireRole({ accountId: seen.accountId, id: passkey.humanId }, "approver")
  // Before the proposal, in the order of those who vote and those who change the co-signers.
  const revision = yield* (yield* Cosigners).lockShared(seen.accountId)
  const rules = revision?.rules ?? []
  const proposal = (yield* (yield* Proposals).lock(seen.id)) as Proposal
  if (canonical(contentOf(proposal)) !== canonical(contentOf(seen))) {
    return yield* new IntentMismatch({
      message: "This proposal differs from the one that was signed; read it again."
    })
  }
  yield* signable(proposal)
  if (proposal.signedBy !== null) return proposal
  yield* requireAnother(proposal, passkey.humanId)
  if ((yield* kindOf(proposal)).movesMoney) yield* requireRunning(proposal.accountId)
  const waiting = yield* signed(proposal, passkey)
  const known = yield* (yield* Approvals).ofProposal(waiting.id)
  const required = yield* requiredApprovals(waiting, rules)
  // One that was confirmed while nobody co-signed has no approval, and may take votes by now.
  const approval = known ?? (required > 0 ? yield* openApproval(waiting, required) : undefined)
  if (approval === undefined) return yield* execute(waiting, actor)
  const { isApproved, isRejected } = yield* evaluateVotes(waiting, approval, rules)
  if (isRejected) return yield* reject(waiting, actor)
  return isApproved ? yield* execute(waiting, actor) : waiting
})

/** Asks the human for their passkey; beside the question stands what it is about. */
export const beginApproval = Effect.fnUntraced(function* (signedIn: SignedIn, proposalId: string) {
  const { browserId, human } = signedIn
  const asCaller = Effect.provideService(Caller, callerOf(signedIn))
  const refusal = roleRefusal(human.role, "approver")
  if (refusal !== undefined) return yield* refusal
  const proposal = yield* asCaller(find(proposalId))
  yield* signable(proposal)
  yield* requireAnother(proposal, human.id)
  const asked = { purpose: "approve_proposal", subject: proposal.id, humanId: human.id, browserId }
  const passkeys = yield* (yield* Humans).passkeysOf(human.id)
  const question = yield* askToSign(
    { ...asked, purpose: "approve_proposal" },
    contentOf(proposal),
    passkeys
  )
  return { ...question, proposal: yield* View.view(proposal) }
})

/** Takes the answer; the proposal as it then is, and whether a standby has what it changed. What is refused leaves it as it was. */
export const approveProposal = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  proposalId: string,
  answered: { readonly passkeyChallengeId: string; readonly answer: AssertionAnswer }
) {
  const { browserId, human } = signedIn
  const asCaller = Effect.provideService(Caller, callerOf(signedIn))
  const passkeyChallenge = yield* take(answered.passkeyChallengeId, {
    purpose: "approve_proposal",
    browserId,
    humanId: human.id,
    subject: proposalId
  })
  const proposal = yield* asCaller(find(proposalId))
  const proof = yield* verify(passkeyChallenge, contentOf(proposal), answered.answer)
  const act = Effect.gen(function* () {
    const ending = yield* endRequestOf(proposal)
    const done = yield* sign(proposal, proof.passkey)
    yield* ending(done, proof.passkey)
    return done
  })
  const { begin, told } = yield* watch
  const done = yield* using(proof, Effect.andThen(begin, asCaller(act)))
  return { proposal: yield* View.view(done), ...(yield* told) }
})
