/**
 * Replaces an account's co-signer rules. Whether that weakens them is decided at every point of the amount
 * axis: what only tightens applies at once, what weakens takes a signature.
 */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { Cosigners } from "../cosigners/cosigner-store.ts"
import { cosignersOf, sizeOf } from "../cosigners/quorum.ts"
import * as Rules from "../cosigners/rules.ts"
import * as Challenge from "../governance/challenge.ts"
import * as Prove from "../governance/prove.ts"
import { requestGovernance } from "../governance/waiting.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { checkOpenVotes } from "../proposals/end-vote.ts"

/** Refuses rules that contradict themselves or that the co-signers there are could never satisfy. */
const checked = Effect.fnUntraced(function* (
  accountId: string,
  before: ReadonlyArray<Rules.Rule>,
  rules: ReadonlyArray<Rules.Rule>
) {
  const violation = Rules.violation(rules)
  if (violation !== undefined) {
    return yield* new InvalidRequest({
      param: "rules",
      message: `${violation}; the bands of an action must have no gaps, and the highest one must have no end.`
    })
  }
  const size = sizeOf(yield* cosignersOf(accountId))
  const required = Rules.maxRequired(rules)
  if (required <= size || required <= Rules.maxRequired(before)) return
  return yield* new InvalidRequest({
    param: "rules",
    message: `These rules need ${required} co-signers and the account has ${size}; invite more first.`,
    next: { operation: "invite_cosigner", args: {} }
  })
})

/** Writes the new revision and checks open votes against it. Lock the co-signers before. */
const apply = Effect.fnUntraced(function* (
  accountId: string,
  before: Rules.Revision | undefined,
  rules: ReadonlyArray<Rules.Rule>
) {
  const { keyId } = yield* Caller
  const revision: Rules.Revision = {
    accountId,
    number: (before?.number ?? 0) + 1,
    rules,
    createdAt: yield* DateTime.now
  }
  if (!(yield* (yield* Cosigners).revise(revision))) {
    return yield* Effect.die(new Error(`Rules ${revision.number} of ${accountId} were taken.`))
  }
  yield* record({
    accountId,
    actor: keyId,
    action: "cosigner_rules.revised",
    subjectType: "cosigner_rules",
    subjectId: String(revision.number),
    facts: { rules: String(rules.length) }
  })
  yield* checkOpenVotes(accountId, rules, keyId)
  return { ...Rules.view(revision), governanceRequestId: null }
})

/** Replaces them as a signed request says, judged anew. */
export const replaceSigned = Effect.fnUntraced(function* (rules: ReadonlyArray<Rules.Rule>) {
  const { accountId } = yield* Caller
  const before = yield* (yield* Cosigners).lock(accountId)
  yield* checked(accountId, before?.rules ?? [], rules)
  return yield* apply(accountId, before, rules)
})

export const updateCosignerRules = Operation.prepared("update_cosigner_rules", {
  summary:
    "Replaces the co-signer rules. Stricter rules apply at once; weaker rules return a challenge first, or wait for a person's passkey.",
  next: "get_cosigner_rules reads them; for waiting proposals the stricter of old and new rules applies.",
  scope: "cosigners:write",
  role: "owner",
  sideEffect: "write",
  authority: Prove.requireOwn,
  input: {
    rules: Schema.Array(Rules.Rule).check(Schema.isMaxLength(Rules.maxRules)).annotate({
      description: "All rules from now on; an empty list means that no co-signer is needed."
    }),
    ...Challenge.input
  },
  output: Challenge.orChallenge({
    ...Rules.fields,
    governanceRequestId: Schema.NullOr(Schema.String)
  }),
  refusals: [...Prove.refusals],
  example: {
    input: {
      rules: [
        {
          action: "send",
          minAmountMicro: "1000000000",
          maxAmountMicro: null,
          requiredApprovals: 1
        }
      ]
    }
  },
  prepare: Effect.fnUntraced(function* ({ rules, ...given }) {
    const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(Schema.Array(Rules.Rule)))
    // They were decoded by the same schema.
    const written = (yield* Effect.orDie(encode(rules))) as Schema.Json
    return yield* Prove.prove("update_cosigner_rules", { rules: written }, given)
  }),
  handle: Effect.fnUntraced(function* ({ rules }, proof) {
    const { accountId, kind } = yield* Caller
    const before = yield* (yield* Cosigners).lock(accountId)
    const known = before?.rules ?? []
    yield* checked(accountId, known, rules)
    if (proof._tag === "signed") {
      yield* Prove.use(proof.challenge)
      return yield* apply(accountId, before, rules)
    }
    if (!Rules.isWeaker(known, rules)) return yield* apply(accountId, before, rules)
    if (kind !== "agent") {
      const request = yield* requestGovernance({
        action: "update_cosigner_rules",
        payload: { rules: rules.map(Rules.encodeRule) },
        payloadHash: proof.payloadHash,
        summary: "Replace the co-signer rules by weaker ones"
      })
      return { ...Rules.view(before), governanceRequestId: request.id }
    }
    const statement = `Weaken the co-signer rules of account ${accountId}: ${Rules.summaryOf(rules)}.`
    const issued = yield* Prove.challenge("update_cosigner_rules", proof.payloadHash, statement)
    return { challenge: Challenge.show(issued) }
  })
})
