/**
 * A human's passkey signs a governance request, and in the same transaction it is applied as an agent's
 * signed call would be, judged by everything as it is then.
 */

import { DateTime, Effect, Schema } from "effect"
import { sendInvite } from "../cosigners/invite-cosigner.ts"
import { Rule } from "../cosigners/rules.ts"
import { GovernanceRequests } from "../governance/governance-store.ts"
import { payloadHashOf } from "../governance/prove.ts"
import * as Request from "../governance/request.ts"
import { GovernanceRequestNotOpen } from "../governance/waiting.ts"
import { callerOf, type SignedIn } from "../humans/authenticate.ts"
import { take } from "../humans/begin-passkey-challenge.ts"
import { askToSign } from "../humans/credential-options.ts"
import { Humans } from "../humans/human-store.ts"
import type { Passkey } from "../humans/passkey.ts"
import { requireRole } from "../humans/require-role.ts"
import { using, verify } from "../humans/verify.ts"
import { Caller } from "../operation/caller.ts"
import { orNoSuch } from "../operation/own.ts"
import { NotFound } from "../operation/refusal.ts"
import { roleRefusal } from "../operation/role.ts"
import { watch } from "../operation/taking-authority.ts"
import { Atomically } from "../ports/atomically.ts"
import type { AssertionAnswer } from "../ports/passkeys.ts"
import { isTerminal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { effectiveStatus } from "../time/timestamp.ts"
import { end } from "./linked-request.ts"
import { removeSigned } from "./remove-cosigner.ts"
import { sign } from "./sign-proposal.ts"
import { replaceSigned } from "./update-rules.ts"

/** What is signed: the payload itself beside its hash, and which request it is. */
const contentOf = (request: Request.GovernanceRequest): Schema.JsonObject => ({
  requestId: request.id,
  accountId: request.accountId,
  action: request.action,
  payload: request.payload,
  payloadHash: request.payloadHash
})

/** Reads the request of the signed-in human's account, and refuses one that is not open any more. */
const openRequest = Effect.fnUntraced(function* ({ human }: SignedIn, requestId: string) {
  const { lock } = yield* GovernanceRequests
  const request = yield* orNoSuch(
    (yield* Atomically).run(lock(human.accountId, requestId)),
    Request.missing
  )
  const status = effectiveStatus(request, yield* DateTime.now)
  if (status === "pending") return request
  return yield* new GovernanceRequestNotOpen({
    param: "requestId",
    message: `This request is ${status} and can no longer be signed.`,
    details: { status }
  })
})

const payloads = {
  invite_cosigner: Schema.Struct({
    cosignerUserId: Schema.String,
    nickname: Schema.NullOr(Schema.String)
  }),
  remove_cosigner: Schema.Struct({ membershipId: Schema.String }),
  update_cosigner_rules: Schema.Struct({ rules: Schema.Array(Rule) }),
  approve_recipient: Schema.Struct({ recipientId: Schema.String, proposalId: Schema.String })
}

/** A stored payload was written by our own code; one that does not read, or was not hashed so, is a bug. */
const read = <Fields extends Schema.Struct.Fields>(
  schema: Schema.Struct<Fields>,
  { payload }: Request.GovernanceRequest
) =>
  Effect.orDie(
    Schema.decodeUnknownEffect(Schema.toCodecJson(schema))(payload) as Effect.Effect<
      Schema.Struct<Fields>["Type"],
      Schema.SchemaError
    >
  )

/** The body that the hash is of: an approval's names its recipient alone. */
const bodyOf = ({ action, payload }: Request.GovernanceRequest): Schema.JsonObject =>
  action === "approve_recipient" ? { recipientId: payload.recipientId ?? null } : payload

const assertUnchanged = Effect.fnUntraced(function* (request: Request.GovernanceRequest) {
  const { accountId, action, id, payloadHash } = request
  if ((yield* payloadHashOf(action, accountId, bodyOf(request))) === payloadHash) return
  return yield* Effect.die(new Error(`Governance request ${id} is not what was hashed.`))
})

/** Does what the request says. A thing it is about that is gone is NOT_FOUND. */
const apply = Effect.fnUntraced(function* (request: Request.GovernanceRequest, passkey: Passkey) {
  const { accountId, keyId } = yield* Caller
  switch (request.action) {
    case "invite_cosigner": {
      const { cosignerUserId, nickname } = yield* read(payloads.invite_cosigner, request)
      const wanted = { ownerAccountId: accountId, cosignerAccountId: cosignerUserId, nickname }
      return yield* Effect.asVoid(sendInvite(wanted, keyId))
    }
    case "remove_cosigner": {
      const { membershipId } = yield* read(payloads.remove_cosigner, request)
      return yield* Effect.asVoid(removeSigned(membershipId))
    }
    case "update_cosigner_rules": {
      const { rules } = yield* read(payloads.update_cosigner_rules, request)
      return yield* Effect.asVoid(replaceSigned(rules))
    }
    case "approve_recipient": {
      const { proposalId } = yield* read(payloads.approve_recipient, request)
      const proposal = yield* (yield* Proposals).find(accountId, proposalId)
      if (proposal === undefined || isTerminal(proposal.status)) {
        return yield* new NotFound({ message: "Its proposal has ended." })
      }
      return yield* Effect.asVoid(sign(proposal, passkey))
    }
    case "add_recipient":
      return yield* Effect.die(new Error("A human adds a recipient by a proposal."))
  }
})

/** Applies it in the running transaction; what it relied on being gone supersedes it. */
const settle = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  requestId: string,
  passkey: Passkey
) {
  const request = yield* openRequest(signedIn, requestId)
  yield* requireRole(signedIn.human, Request.roleFor(request))
  yield* assertUnchanged(request)
  const applied = (yield* Atomically).run(Effect.as(apply(request, passkey), "applied" as const))
  const status = yield* Effect.catchTag(applied, "NOT_FOUND", () =>
    Effect.succeed("superseded" as const)
  )
  return yield* end(request, status, passkey)
})

/** Asks the human for their passkey; beside the question stands what it is about. */
export const beginSigning = Effect.fnUntraced(function* (signedIn: SignedIn, requestId: string) {
  const { browserId, human } = signedIn
  const request = yield* openRequest(signedIn, requestId)
  const refusal = roleRefusal(human.role, Request.roleFor(request))
  if (refusal !== undefined) return yield* refusal
  const question = yield* askToSign(
    { purpose: "sign_governance", subject: request.id, humanId: human.id, browserId },
    contentOf(request),
    yield* (yield* Humans).passkeysOf(human.id)
  )
  return { ...question, request: yield* Request.view(request) }
})

/** Takes the answer; the request as it then is, and whether a standby has what it changed. What is refused leaves it open. */
export const signGovernance = Effect.fnUntraced(function* (
  signedIn: SignedIn,
  requestId: string,
  answered: { readonly passkeyChallengeId: string; readonly answer: AssertionAnswer }
) {
  const { browserId, human } = signedIn
  const passkeyChallenge = yield* take(answered.passkeyChallengeId, {
    purpose: "sign_governance",
    browserId,
    humanId: human.id,
    subject: requestId
  })
  const request = yield* openRequest(signedIn, requestId)
  const proof = yield* verify(passkeyChallenge, contentOf(request), answered.answer)
  const act = Effect.provideService(
    settle(signedIn, requestId, proof.passkey),
    Caller,
    callerOf(signedIn)
  )
  const { begin, told } = yield* watch
  const signed = yield* using(proof, Effect.andThen(begin, act))
  return { request: yield* Request.view(signed), ...(yield* told) }
})
