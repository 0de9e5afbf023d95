/**
 * An entry as it stands in the log: the canonical text that is hashed, with its place in it. What is
 * exported, proven and signed for is this text and nothing else.
 */
import { DateTime, type Schema } from "effect"
import { canonical } from "../encoding/canonical.ts"
import type { Placed } from "./entry.ts"
import * as Tree from "./tree.ts"

/** The fields of a leaf as JSON has them. */
export const fieldsOf = (entry: Placed): Schema.JsonObject => ({
  id: entry.id,
  accountId: entry.accountId,
  action: entry.action,
  actor: entry.actor,
  subjectType: entry.subjectType,
  subjectId: entry.subjectId,
  facts: entry.facts,
  createdAt: DateTime.formatIso(entry.createdAt),
  sequence: entry.sequence
})

export const hashOf = (sha256: Tree.Sha256, entry: Placed): Uint8Array =>
  Tree.leafHash(sha256, canonical(fieldsOf(entry)))
