/**
 * What was done about a proposal, by whom and when, oldest first: every move that the audit log has of it, and the
 * votes of co-signers. Whoever acted is told by the name that the account knows them by, and by their id.
 */
import { DateTime, Effect, Schema } from "effect"
import { Keys } from "../accounts/account-store.ts"
import { Audit } from "../audit/audit-store.ts"
import { ActorRole, ActorType } from "../audit/entry.ts"
import { Approvals, Cosigners } from "../cosigners/cosigner-store.ts"
import { maxMembers } from "../cosigners/invite.ts"
import { humanIdOf } from "../humans/human.ts"
import { Humans } from "../humans/human-store.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
import { find, ProposalId } from "./find.ts"

const Entry = Schema.Struct({
  action: Schema.String.annotate({
    description:
      "A dotted name, as in the audit log, or `cosigner.approved` and `cosigner.rejected` for a vote."
  }),
  actor: Schema.String.annotate({
    description:
      "The id of a key, `human:` and a person's id, `operator`, `system`, or a co-signer's account id."
  }),
  actorName: Schema.NullOr(Schema.String).annotate({
    description: "What the account calls the actor; null if it has no name for it."
  }),
  actorType: ActorType,
  actorRole: ActorRole,
  reason: Schema.NullOr(Schema.String),
  createdAt: Timestamp.Encoded
})

type Entry = typeof Entry.Type

/** Far more than one proposal ever has. */
const most = 100

/** A person by their name, a key by its label and what is shown of it. */
const nameIn = (accountId: string) =>
  Effect.fnUntraced(function* (actor: string) {
    const humanId = humanIdOf(actor)
    if (humanId !== undefined) {
      return (yield* (yield* Humans).find(accountId, humanId))?.name ?? null
    }
    const key = yield* (yield* Keys).find(accountId, actor)
    if (key === undefined) return null
    const shown = `${key.prefix}…${key.lastFour}`
    return key.label === null ? shown : `${key.label} (${shown})`
  })

const entriesOf = Effect.fnUntraced(function* (accountId: string, proposalId: string) {
  const { rows } = yield* (yield* Audit).list(accountId, { limit: most }, { subjectId: proposalId })
  const nameOf = nameIn(accountId)
  return yield* Effect.forEach(rows, ({ actor, facts, ...entry }) =>
    Effect.map(
      nameOf(actor),
      (actorName): Entry => ({ ...entry, actor, actorName, reason: facts.reason ?? null })
    )
  )
})

const votesOn = Effect.fnUntraced(function* (accountId: string, proposalId: string) {
  const approvals = yield* Approvals
  const approval = yield* approvals.ofProposal(proposalId)
  if (approval === undefined) return []
  const { rows } = yield* (yield* Cosigners).members(accountId, { limit: maxMembers })
  const votes = yield* approvals.votes(approval.id)
  return votes.map(
    ({ at, isApproval, voterAccountId }): Entry => ({
      action: isApproval ? "cosigner.approved" : "cosigner.rejected",
      actor: voterAccountId,
      actorName:
        rows.find(({ cosignerAccountId }) => cosignerAccountId === voterAccountId)?.nickname ??
        null,
      actorType: "key",
      actorRole: "cosigner",
      reason: null,
      createdAt: at
    })
  )
})

export const getProposalHistory = Operation.make("get_proposal_history", {
  summary:
    "Reads what was done about a proposal: who proposed, confirmed, approved and signed it, and when. Also its terms, of which intentHash is the hash.",
  next: "get_proposal reads where it stands now.",
  scope: "account:read",
  input: { proposalId: ProposalId },
  output: {
    proposalId: Schema.String,
    terms: Schema.Record(Schema.String, Schema.Json).annotate({
      description: "What was proposed, in the terms of its kind; never changed."
    }),
    history: Schema.Array(Entry).annotate({ description: "Oldest first." }),
    archivedIn: Schema.optionalKey(Schema.Array(Schema.String)).annotate({
      description:
        "Files that the operator moved the audit log of closed years to, and that may have the beginning of the history: it is not listed."
    })
  },
  refusals: [NotFound],
  example: { input: { proposalId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ proposalId }) {
    const { accountId, createdAt, id, terms } = yield* find(proposalId)
    const [moves, votes] = [yield* entriesOf(accountId, id), yield* votesOn(accountId, id)]
    const history = [...moves.reverse(), ...votes].sort((one, other) =>
      DateTime.Order(one.createdAt, other.createdAt)
    )
    const archives = yield* Audit.use((audit) => audit.archives(accountId))
    const files = archives
      .filter(({ before }) => DateTime.isLessThan(createdAt, before))
      .map(({ file }) => file)
    return { proposalId: id, terms, history, ...(files.length > 0 ? { archivedIn: files } : {}) }
  })
})
