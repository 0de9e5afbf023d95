/**
 * Stories of the audit log as its owner checks it: with the public key alone, every entry is there, none
 * was changed, and the log of today begins with the log of yesterday.
 */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { exportLines, verifyExport } from "../../adapters/secrets/audit-export.ts"
import type { Placed } from "../../core/audit/entry.ts"
import * as Leaf from "../../core/audit/entry.ts"
import * as Tree from "../../core/audit/tree.ts"
import * as Base64 from "../../core/encoding/base64.ts"
import { sha256 } from "../support/audit-log.ts"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const bytes = (text: string | undefined): Uint8Array => Base64.decode(text ?? "") as Uint8Array

/** All entries that have their place, as a client reads them page by page, in the order of the log. */
const logOf = Effect.fnUntraced(function* ({ calls }: World) {
  const { id: accountId } = yield* calls.get_account({})
  const entries: Array<Placed> = []
  let cursor: string | null = null
  do {
    const page: Effect.Success<ReturnType<World["calls"]["list_audit_log"]>> =
      yield* calls.list_audit_log({ limit: 7, ...(cursor === null ? {} : { cursor }) })
    for (const { createdAt, sequence, ...rest } of page.entries) {
      if (sequence === null) continue
      entries.push({ ...rest, accountId, sequence, createdAt: DateTime.makeUnsafe(createdAt) })
    }
    cursor = page.nextCursor
  } while (cursor !== null)
  return entries.sort((a, b) => a.sequence - b.sequence)
})

export const auditing: ReadonlyArray<Story> = [
  {
    title: "a checkpoint covers what was done before it, and each entry is proven to be under it",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      const made = yield* calls.create_api_key({ scopes: ["account:read"], label: "Auditor" })
      const auditor = world.callsWith(made.apiKey as string)
      const { rootHash, treeSize } = yield* auditor.get_audit_checkpoint({})
      const log = yield* logOf(world)
      assert.isTrue(log.some(({ subjectId }) => subjectId === made.id))
      assert.isAtLeast(log.length, treeSize)
      for (const entry of log.slice(0, treeSize)) {
        const proof = yield* auditor.get_audit_proof({ entryId: entry.id, treeSize })
        assert.strictEqual(proof.kind, "inclusion")
        assert.strictEqual(proof.leafIndex, entry.sequence)
        const leafHash = Leaf.hashOf(sha256, entry)
        assert.strictEqual(proof.leafHash, Base64.encode(leafHash))
        const claim = {
          leafHash,
          leafIndex: entry.sequence,
          treeSize,
          hashes: proof.hashes.map(bytes),
          rootHash: bytes(rootHash)
        }
        assert.isTrue(Tree.provesInclusion(sha256, claim))
        const forged = Leaf.hashOf(sha256, { ...entry, actor: "somebody else" })
        assert.isFalse(Tree.provesInclusion(sha256, { ...claim, leafHash: forged }))
      }
    })
  },
  {
    title: "the log of later begins with the log of earlier, and a client sees it without trust",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      const earlier = yield* calls.get_audit_checkpoint({})
      const again = yield* calls.get_audit_checkpoint({})
      if (again.treeSize === earlier.treeSize) assert.deepStrictEqual(again, earlier)
      const vault = yield* Scene.vault(world)
      for (const amountUsd of [3, 4, 5])
        yield* Scene.request(world, vault.walletMappingId, amountUsd)
      const later = yield* calls.get_audit_checkpoint({})
      assert.isAtLeast(later.treeSize, earlier.treeSize + 3)
      assert.strictEqual(later.verifierKey, earlier.verifierKey)
      const { hashes, kind } = yield* calls.get_audit_proof({
        fromTreeSize: earlier.treeSize,
        treeSize: later.treeSize
      })
      assert.strictEqual(kind, "consistency")
      const proof = {
        fromTreeSize: earlier.treeSize,
        fromRootHash: bytes(earlier.rootHash),
        treeSize: later.treeSize,
        rootHash: bytes(later.rootHash),
        hashes: hashes.map(bytes)
      }
      assert.isTrue(Tree.provesConsistency(sha256, proof))
      assert.isFalse(
        Tree.provesConsistency(sha256, { ...proof, fromRootHash: sha256("another beginning") })
      )
      const tooFar = yield* Scene.refusal(calls.get_audit_proof({ fromTreeSize: 1_000_000 }))
      assert.strictEqual(tooFar.code, "INVALID_REQUEST")
    })
  },
  {
    title: "an exported log is verified with its key, and one changed word in it is found",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      const kept = yield* calls.get_audit_checkpoint({})
      yield* calls.create_api_key({ scopes: ["account:read"], label: "Till" })
      const checkpoint = yield* calls.get_audit_checkpoint({})
      const { verifierKey } = checkpoint
      const log = (yield* logOf(world)).slice(0, checkpoint.treeSize)
      const text = exportLines(log, checkpoint)
      assert.deepStrictEqual(verifyExport(text, verifierKey, [kept.checkpoint]).problems, [])
      const changed = text.replace('"actor":"', '"actor":"x')
      assert.deepInclude(verifyExport(changed, verifierKey).problems[0], {
        code: "altered_entry",
        sequence: 0
      })
      const foreign = yield* world.agent.get_audit_checkpoint({})
      assert.strictEqual(verifyExport(text, foreign.verifierKey).problems[0]?.code, "wrong_key")
    })
  },
  {
    title: "what is done gets its place in the log by itself, and another account has its own log",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      const key = yield* calls.create_api_key({ scopes: ["account:read"] })
      const entry = yield* world.until(
        "the entry has its place",
        Effect.map(calls.list_audit_log({ limit: 100 }), ({ entries }) =>
          entries.find(({ sequence, subjectId }) => subjectId === key.id && sequence !== null)
        )
      )
      const foreign = yield* Scene.refusal(agent.get_audit_proof({ entryId: entry.id }))
      assert.strictEqual(foreign.code, "NOT_FOUND")
      const places = (yield* logOf(world)).map(({ sequence }) => sequence)
      assert.deepStrictEqual(
        places,
        places.map((_, at) => at)
      )
    })
  }
]
