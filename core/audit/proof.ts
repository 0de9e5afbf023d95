/**
 * Proofs over an account's audit log (RFC 6962, sections 2.1.1 and 2.1.2): that an entry is in it, or that
 * it still begins as an earlier checkpoint says. A proof tells of no entry but the one it is for.
 */

import { Effect, Schema } from "effect"
import * as Base64 from "../encoding/base64.ts"
import { Id } from "../encoding/id.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { noSuch } from "../operation/own.ts"
import { InvalidRequest, NotFound, UpstreamUnavailable } from "../operation/refusal.ts"
import { Secrets } from "../ports/secrets.ts"
import { holding } from "./archive.ts"
import { Audit } from "./audit-store.ts"
import type { Placed } from "./entry.ts"
import * as Leaf from "./entry.ts"
import { hashesOver } from "./log.ts"
import { sequenceAll } from "./sequence.ts"
import * as Tree from "./tree.ts"

const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000_000 }))

const refused = (param: string, message: string) => new InvalidRequest({ param, message })

/** The size asked for, or that of the log as it is. */
const sizeOf = Effect.fnUntraced(function* (accountId: string, treeSize: number | undefined) {
  const head = yield* (yield* Audit).head(accountId)
  const most = head?.treeSize ?? 0
  if (treeSize !== undefined && treeSize > most) {
    const message = `The log has ${most} entries; use a treeSize up to that, or omit it.`
    return yield* refused("treeSize", message)
  }
  return treeSize ?? most
})

/** What a proof is of: a place, its hash, and the file that has the text where the records have none. */
interface Proven {
  readonly sequence: number
  readonly leafHash: Uint8Array
  readonly archivedIn?: string
}

/** The same of an entry whose text is in a file: its hash is a node of the tree. */
const archived = Effect.fnUntraced(function* (accountId: string, entryId: string) {
  const { archives, nodes, placeOf } = yield* Audit
  const sequence = yield* placeOf(accountId, entryId)
  if (sequence === undefined) return undefined
  const archive = holding(yield* archives(accountId), sequence)
  const [leaf] = yield* nodes(accountId, [{ level: 0, index: sequence }])
  if (archive === undefined || leaf === undefined) return undefined
  return { sequence, leafHash: leaf.hash, archivedIn: archive.file } satisfies Proven
})

/** The caller's entry with its place; one that was only just written is given it first. */
const placed = Effect.fnUntraced(function* (
  accountId: string,
  entryId: string
): Effect.fn.Return<
  Proven,
  NotFound | UpstreamUnavailable,
  Effect.Services<ReturnType<typeof sequenceAll>>
> {
  const audit = yield* Audit
  const found = yield* audit.find(accountId, entryId)
  if (found?.sequence === null) yield* sequenceAll(accountId)
  const entry = found?.sequence === null ? yield* audit.find(accountId, entryId) : found
  if (entry !== undefined) {
    const { hash } = yield* Secrets
    const own = entry as Placed
    return { sequence: own.sequence, leafHash: Leaf.hashOf(hash, own) }
  }
  const inFile = yield* archived(accountId, entryId)
  if (inFile !== undefined) return inFile
  return yield* noSuch({ param: "entryId", what: "audit entry", operation: "list_audit_log" })
})

/** The hashes of the path and the root it leads to. */
const proven = Effect.fnUntraced(function* (
  accountId: string,
  treeSize: number,
  path: ReadonlyArray<Tree.Range>
) {
  const all = yield* hashesOver(accountId, [...path, { begin: 0, end: treeSize }])
  const [root = "", ...hashes] = all.map(Base64.encode).toReversed()
  return { hashes: hashes.reverse(), rootHash: root }
})

const inclusion = Effect.fnUntraced(function* (
  accountId: string,
  entryId: string,
  asked: number | undefined
) {
  const entry = yield* placed(accountId, entryId)
  const treeSize = yield* sizeOf(accountId, asked)
  const leafIndex = entry.sequence
  if (leafIndex >= treeSize) {
    const message = `The entry has index ${leafIndex}; use a treeSize above that.`
    return yield* refused("treeSize", message)
  }
  return {
    kind: "inclusion" as const,
    treeSize,
    leafIndex,
    leafHash: Base64.encode(entry.leafHash),
    ...(entry.archivedIn === undefined ? {} : { archivedIn: entry.archivedIn }),
    ...(yield* proven(accountId, treeSize, Tree.inclusion(leafIndex, treeSize)))
  }
})

const consistency = Effect.fnUntraced(function* (
  accountId: string,
  fromTreeSize: number,
  asked: number | undefined
) {
  const treeSize = yield* sizeOf(accountId, asked)
  if (fromTreeSize > treeSize) {
    const message = `fromTreeSize ${fromTreeSize} exceeds the log's size ${treeSize}; use a smaller one.`
    return yield* refused("fromTreeSize", message)
  }
  return {
    kind: "consistency" as const,
    treeSize,
    fromTreeSize,
    ...(yield* proven(accountId, treeSize, Tree.consistency(fromTreeSize, treeSize)))
  }
})

export const getAuditProof = Operation.make("get_audit_proof", {
  summary:
    "Proves that an audit entry is in the log, or that the log still begins as an earlier checkpoint says.",
  next: "Verify it against the rootHash of a checkpoint you stored; get_audit_checkpoint reads the current one.",
  scope: "account:read",
  input: {
    entryId: Schema.optionalKey(Id("Proves that this entry is in the log.")),
    fromTreeSize: Schema.optionalKey(
      Size.annotate({
        description:
          "Proves that the log still begins with its first entries up to this size; instead of `entryId`."
      })
    ),
    treeSize: Schema.optionalKey(
      Size.annotate({
        description: "The log size to prove it for. Default: the current size."
      })
    )
  },
  output: {
    kind: Schema.Literals(["inclusion", "consistency"]),
    treeSize: Schema.Int,
    leafIndex: Schema.optionalKey(Schema.Int),
    leafHash: Schema.optionalKey(Schema.String),
    archivedIn: Schema.optionalKey(Schema.String).annotate({
      description:
        "The file that the operator moved the text of the entry to; its hash and its place stay."
    }),
    fromTreeSize: Schema.optionalKey(Schema.Int),
    hashes: Schema.Array(Schema.String).annotate({
      description: "The proof's hashes in the order of RFC 6962, in base64."
    }),
    rootHash: Schema.String
  },
  refusals: [NotFound, UpstreamUnavailable],
  example: { input: { entryId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: Effect.fnUntraced(function* ({ entryId, fromTreeSize, treeSize }) {
    const { accountId } = yield* Caller
    if (entryId !== undefined && fromTreeSize === undefined) {
      return yield* inclusion(accountId, entryId, treeSize)
    }
    if (fromTreeSize !== undefined && entryId === undefined) {
      return yield* consistency(accountId, fromTreeSize, treeSize)
    }
    const message = "Send either entryId or fromTreeSize, not both."
    return yield* refused("entryId", message)
  })
})
