/**
 * The audit log: one entry for every committed change, with a dotted action and who did it. An entry is given its
 * place in the log a moment after its commit; from then on its canonical text is what is hashed, exported and proven.
 */
import { DateTime, Schema } from "effect"
import { canonical } from "../encoding/canonical.ts"
import * as Timestamp from "../time/timestamp.ts"
import * as Tree from "./tree.ts"

/** Who acts: a key, a person with a passkey, whoever has the command line, or the treasury by itself. */
export const ActorType = Schema.Literals(["key", "person", "operator", "treasury"])
export type ActorType = typeof ActorType.Type

/** What it acts as: for its own account, as a co-signer of another, for the installation, or as a worker. */
export const ActorRole = Schema.Literals(["owner", "cosigner", "operator", "worker"])
export type ActorRole = typeof ActorRole.Type

export interface Entry {
  readonly id: string
  readonly accountId: string
  /** A dotted name: `payment_request.created`. */
  readonly action: string
  /** A key's id, `human:` and a human's id, `operator` for the installation's command line, `system` for what the treasury did by itself. */
  readonly actor: string
  readonly actorType: ActorType
  readonly actorRole: ActorRole
  readonly subjectType: string
  readonly subjectId: string
  readonly facts: Readonly<Record<string, string>>
  readonly createdAt: DateTime.Utc
}

/** An entry as it is read: its place in the account's log, from 0 on without a gap, or null until it has one. */
export interface Listed extends Entry {
  readonly sequence: number | null
}

/** An entry that has its place. */
export interface Placed extends Entry {
  readonly sequence: number
}

export const fields = {
  id: Schema.String,
  action: Schema.String,
  actor: Schema.String,
  actorType: ActorType,
  actorRole: ActorRole,
  subjectType: Schema.String,
  subjectId: Schema.String,
  facts: Schema.Record(Schema.String, Schema.String),
  createdAt: Timestamp.Encoded,
  sequence: Schema.NullOr(Schema.Int).annotate({
    description: "Its index in the log, from 0; null until one is assigned, within moments."
  })
}

/** The fields of a leaf as JSON has them. */
export const leafFields = (entry: Placed): Schema.JsonObject => ({
  id: entry.id,
  accountId: entry.accountId,
  action: entry.action,
  actor: entry.actor,
  actorType: entry.actorType,
  actorRole: entry.actorRole,
  subjectType: entry.subjectType,
  subjectId: entry.subjectId,
  facts: entry.facts,
  createdAt: DateTime.formatIso(entry.createdAt),
  sequence: entry.sequence
})

export const hashOf = (sha256: Tree.Sha256, entry: Placed): Uint8Array =>
  Tree.leafHash(sha256, canonical(leafFields(entry)))
