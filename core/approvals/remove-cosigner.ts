/**
 * Ends a membership. The removed co-signer's votes on what is open count no more; a removal that would
 * leave a rule nobody can satisfy is refused.
 */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Approvals, Cosigners } from "../cosigners/cosigner-store.ts"
import { type Membership, maxMembers } from "../cosigners/invite.ts"
import { cosignersOf, sizeOf } from "../cosigners/quorum.ts"
import { maxRequired, type Revision, type Rule } from "../cosigners/rules.ts"
import { Id } from "../encoding/id.ts"
import * as Challenge from "../governance/challenge.ts"
import * as Prove from "../governance/prove.ts"
import { requestGovernance } from "../governance/waiting.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import { checkOpenVotes } from "../proposals/end-vote.ts"

const memberOf = Effect.fnUntraced(function* (ownerAccountId: string, membershipId: string) {
  const { rows } = yield* (yield* Cosigners).members(ownerAccountId, { limit: maxMembers })
  const membership = rows.find(({ id }) => id === membershipId)
  if (membership !== undefined) return membership
  return yield* new NotFound({
    param: "membershipId",
    message: "This account has no active co-signer with this membership id.",
    next: { operation: "list_cosigner_memberships", args: {} }
  })
})

const sparable = Effect.fnUntraced(function* (
  { ownerAccountId, cosignerAccountId }: Membership,
  rules: ReadonlyArray<Rule>
) {
  const group = yield* cosignersOf(ownerAccountId)
  const rest = group.members.filter(({ accountId }) => accountId !== cosignerAccountId)
  const [size, required] = [sizeOf({ ...group, members: rest }), maxRequired(rules)]
  if (required <= size) return
  return yield* new InvalidRequest({
    param: "membershipId",
    message: `A rule needs ${required} co-signers and only ${size} would be left; weaken the rules or invite another co-signer first.`,
    next: { operation: "get_cosigner_rules", args: {} }
  })
})

const apply = Effect.fnUntraced(function* (membership: Membership, rules: Revision | undefined) {
  const { accountId, keyId } = yield* Caller
  const { id, cosignerAccountId } = membership
  const approvals = yield* Approvals
  yield* (yield* Cosigners).leave(accountId, id, yield* DateTime.now)
  yield* approvals.voidVotes(accountId, cosignerAccountId)
  for (const logged of [accountId, cosignerAccountId]) {
    yield* record({
      accountId: logged,
      actor: keyId,
      action: "cosigner.removed",
      subjectType: "cosigner_membership",
      subjectId: id
    })
  }
  yield* checkOpenVotes(accountId, rules?.rules ?? [], keyId)
  return { acknowledged: true, governanceRequestId: null }
})

/** Removes it as a signed request says, judged anew. */
export const removeSigned = Effect.fnUntraced(function* (membershipId: string) {
  const { accountId } = yield* Caller
  const rules = yield* (yield* Cosigners).lock(accountId)
  const membership = yield* memberOf(accountId, membershipId)
  yield* sparable(membership, rules?.rules ?? [])
  return yield* apply(membership, rules)
})

export const removeCosigner = Operation.prepared("remove_cosigner", {
  summary:
    "Removes a co-signer and cancels their open votes. With an agent's key the first call returns a challenge; with a person's key it waits for their passkey.",
  next: "list_cosigner_memberships shows the remaining co-signers.",
  scope: "cosigners:write",
  role: "owner",
  sideEffect: "write",
  authority: Prove.requireOwn,
  input: {
    membershipId: Id("From list_cosigner_memberships."),
    ...Challenge.input
  },
  output: Challenge.orChallenge({
    acknowledged: Schema.Boolean,
    governanceRequestId: Schema.NullOr(Schema.String)
  }),
  refusals: [NotFound, ...Prove.refusals],
  example: { input: { membershipId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  prepare: ({ membershipId, ...given }) => Prove.prove("remove_cosigner", { membershipId }, given),
  handle: Effect.fnUntraced(function* ({ membershipId }, proof) {
    const { accountId, kind } = yield* Caller
    const rules = yield* (yield* Cosigners).lock(accountId)
    const membership = yield* memberOf(accountId, membershipId)
    yield* sparable(membership, rules?.rules ?? [])
    if (proof._tag === "signed") {
      yield* Prove.use(proof.challenge)
      return yield* apply(membership, rules)
    }
    if (kind !== "agent") {
      const request = yield* requestGovernance({
        action: "remove_cosigner",
        payload: { membershipId },
        payloadHash: proof.payloadHash,
        summary: `Remove co-signer ${membership.cosignerAccountId}`
      })
      return { acknowledged: true, governanceRequestId: request.id }
    }
    const statement = `Remove account ${membership.cosignerAccountId} from the co-signers of account ${accountId}.`
    const issued = yield* Prove.challenge("remove_cosigner", proof.payloadHash, statement)
    return { challenge: Challenge.show(issued) }
  })
})
