/** Proposes: judges the terms, fixes the intent and its hash, and stores it. Nothing else happens yet. */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import { canonical } from "../encoding/canonical.ts"
import { Caller } from "../operation/caller.ts"
import type * as Refusal from "../operation/refusal.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { currentRevision } from "../policy/revision.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { askTogether } from "../ports/together.ts"
import type { Definition, Done, Kind } from "./kind.ts"
import { confirmWithinHours, type Proposal } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"

/** As many as one transaction ends when what they rest on goes, such as the key that proposed them. */
const maxWaiting = 1000

/** How many wait; by whole seconds, so that it is the same question a moment later. */
export const countWaiting = Effect.fnUntraced(function* (accountId: string) {
  const now = DateTime.startOf(yield* DateTime.now, "second")
  return yield* (yield* Proposals).countWaiting(accountId, now, maxWaiting)
})

const requireRoom = Effect.fnUntraced(function* (accountId: string) {
  const waiting = yield* countWaiting(accountId)
  if (waiting < maxWaiting) return
  return yield* new InvalidRequest({
    message: `${maxWaiting} proposals of this account wait already; confirm or cancel some of them first.`,
    next: { operation: "list_proposals", args: {} }
  })
})

/** What a passkey signs and a co-signer votes on: the whole of what will be done, and for whom. */
export const intentOf = (
  proposal: Pick<Proposal, "id" | "accountId" | "kind" | "terms">
): Schema.JsonObject => ({
  version: 1,
  proposalId: proposal.id,
  accountId: proposal.accountId,
  kind: proposal.kind,
  terms: proposal.terms as Schema.JsonObject
})

export const propose = Effect.fnUntraced(function* <
  Name extends Kind,
  Fields extends Schema.Struct.Fields,
  Failure extends Refusal.Refusal,
  Needs
>(
  definition: Pick<
    Definition<Name, Fields, Effect.Effect<void, Failure, Needs>, Effect.Effect<Done>>,
    "kind" | "terms" | "summary" | "check" | "exposure"
  >,
  terms: Schema.Struct<Fields>["Type"],
  options: { readonly recipientId?: string } = {}
) {
  const { accountId, call = null, keyId } = yield* Caller
  const secrets = yield* Secrets
  const now = yield* DateTime.now
  // Asked together and judged in this order. Only refusals wait for it: a fault of the records ends both.
  const [checked, room] = yield* askTogether([
    Effect.result(definition.check(accountId, terms)),
    Effect.result(requireRoom(accountId))
  ])
  yield* Effect.fromResult(checked)
  yield* Effect.fromResult(room)
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(definition.terms))
  // Terms are built by our own code from decoded input; one that does not encode is a bug.
  const written = (yield* Effect.orDie(
    encode(terms) as Effect.Effect<Schema.Json, unknown>
  )) as Schema.JsonObject
  const draft = {
    id: yield* (yield* Ids).uuid,
    accountId,
    kind: definition.kind,
    terms: written
  }
  const proposal: Proposal = {
    ...draft,
    status: "pending_confirm",
    statusReason: null,
    intentHash: secrets.sha256(canonical(intentOf(draft))),
    policyRevision: (yield* currentRevision(accountId)).number,
    summary: definition.summary(terms),
    amountMicro: definition.exposure?.(terms).amountMicro ?? null,
    recipientId: options.recipientId ?? null,
    proposedBy: keyId,
    call,
    confirmedBy: null,
    txHashes: [],
    recovered: false,
    outcome: null,
    result: null,
    stopAskedAt: null,
    createdAt: now,
    updatedAt: now,
    confirmedAt: null,
    takesPasskey: false,
    signedBy: null,
    expiresAt: DateTime.add(now, { hours: confirmWithinHours })
  }
  yield* (yield* Proposals).propose(proposal)
  yield* record({
    accountId,
    actor: keyId,
    action: "proposal.created",
    subjectType: "proposal",
    subjectId: proposal.id,
    facts: { kind: proposal.kind, intentHash: proposal.intentHash }
  })
  return proposal
})
