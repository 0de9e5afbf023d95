/**
 * The signed head of an account's audit log. It covers all that was committed before it was asked for, and the log of
 * one size on one line has one: whoever keeps it can later prove that nothing before it was changed.
 */
import { DateTime, Effect, Schema } from "effect"
import * as Base64 from "../encoding/base64.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { CheckpointSigner } from "../ports/checkpoint-signer.ts"
import { Secrets } from "../ports/secrets.ts"
import * as Timestamp from "../time/timestamp.ts"
import { Audit } from "./audit-store.ts"
import { rootAt } from "./log.ts"
import * as Note from "./note.ts"
import { sequenceAll } from "./sequence.ts"
import * as TreeHead from "./tree-head.ts"

/** The signed head of a log as it was at a size. */
export const signedAt = Effect.fnUntraced(function* (
  accountId: string,
  { line, treeSize }: { readonly line: number; readonly treeSize: number }
) {
  const rootHash = yield* rootAt(accountId, treeSize)
  const { hash } = yield* Secrets
  const { publicKey, sign } = yield* CheckpointSigner
  const origin = TreeHead.originOf(accountId)
  const text = TreeHead.write({ origin, treeSize, rootHash, line })
  return {
    treeSize,
    rootHash: Base64.encode(rootHash),
    line,
    checkpoint: Note.write(hash, text, origin, publicKey, yield* sign(text)),
    verifierKey: Note.verifierKey(hash, origin, publicKey)
  }
})

/** The checkpoint of an account's log as it is now. */
export const checkpointOf = Effect.fnUntraced(function* (accountId: string) {
  const now = yield* sequenceAll(accountId)
  const head = yield* (yield* Audit).head(accountId)
  const line = head?.line ?? now.number
  return {
    ...(yield* signedAt(accountId, { line, treeSize: head?.treeSize ?? 0 })),
    createdAt: head?.grewAt ?? (yield* DateTime.now)
  }
})

export const getAuditCheckpoint = Operation.make("get_audit_checkpoint", {
  summary:
    "Reads the signed head of the audit log: its size and the root of the Merkle tree over its entries.",
  next: "Store it outside the treasury; get_audit_proof can then prove that the log still begins with it.",
  scope: "account:read",
  input: {},
  output: {
    treeSize: Schema.Int.annotate({ description: "The number of entries it covers." }),
    rootHash: Schema.String.annotate({ description: "Base64 of the root (RFC 6962)." }),
    line: Schema.Int.annotate({
      description:
        "The line of history that the records are on, from 1; the next begins when a standby or a backup takes their place."
    }),
    checkpoint: Schema.String.annotate({
      description: "The size, root and line as a signed note (C2SP tlog-checkpoint)."
    }),
    verifierKey: Schema.String.annotate({
      description: "The key that verifies the signature: `<name>+<id>+<base64 of the Ed25519 key>`."
    }),
    createdAt: Timestamp.Encoded.annotate({
      description: "When the log reached this size."
    })
  },
  refusals: [UpstreamUnavailable],
  handle: Effect.fnUntraced(function* () {
    return yield* checkpointOf((yield* Caller).accountId)
  })
})
