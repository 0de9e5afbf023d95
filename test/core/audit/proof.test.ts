/** Checkpoints and proofs as they are asked for: of an empty log, of an entry just written, of sizes there are and are not. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exportLines, verifyExport } from "../../../adapters/secrets/audit-export.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { checkpointOf } from "../../../core/audit/checkpoint.ts"
import { entriesUpTo } from "../../../core/audit/log.ts"
import * as Base64 from "../../../core/encoding/base64.ts"
import { type Facts, Scope } from "../../../core/operation/caller.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { rootOver, sha256 } from "../../support/audit-log.ts"
import * as Rows from "../../support/rows.ts"
import * as Treasury from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"

const anOwner = Effect.gen(function* () {
  const { id: accountId } = yield* Stored.account()
  const caller: Facts = {
    accountId,
    keyId: Rows.anId(),
    kind: "developer",
    scopes: new Set(Scope.literals)
  }
  return { accountId, call: callsOf(caller) }
})

const appended = Effect.fnUntraced(function* (accountId: string, count: number) {
  const entries = Array.from({ length: count }, (_, at) =>
    Rows.anEntry(accountId, { createdAt: Rows.at(at) })
  )
  yield* (yield* Audit).append(entries)
  return entries
})

layer(Treasury.layer())("the audit log", (it) => {
  it.effect("has a checkpoint when it is empty, of the root of nothing", () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* anOwner
      const checkpoint = yield* call.get_audit_checkpoint({})
      assert.strictEqual(checkpoint.treeSize, 0)
      assert.strictEqual(checkpoint.rootHash, Base64.encode(sha256("")))
      const { ok } = verifyExport(exportLines([], checkpoint), checkpoint.verifierKey)
      assert.isTrue(ok)
      const refused = yield* Effect.flip(call.get_audit_proof({ fromTreeSize: 1 }))
      assert.strictEqual(refused._tag, "INVALID_REQUEST")
      assert.deepStrictEqual(yield* entriesUpTo(accountId, 0), [])
    })
  )

  it.effect("is signed as it is, and exported whole", () =>
    Effect.gen(function* () {
      const { accountId } = yield* anOwner
      const entries = yield* appended(accountId, 12)
      const checkpoint = yield* checkpointOf(accountId)
      const log = yield* entriesUpTo(accountId, checkpoint.treeSize)
      assert.deepStrictEqual(
        log,
        entries.map((entry, sequence) => ({ ...entry, sequence }))
      )
      assert.strictEqual(checkpoint.rootHash, Base64.encode(rootOver(log)))
      const { ok } = verifyExport(exportLines(log, checkpoint), checkpoint.verifierKey)
      assert.isTrue(ok)
    })
  )

  it.effect("proves an entry that was only just written, and of which size it is asked", () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* anOwner
      const entries = yield* appended(accountId, 5)
      const entryId = entries[3]?.id as string
      const proof = yield* call.get_audit_proof({ entryId })
      assert.deepInclude(proof, { kind: "inclusion", leafIndex: 3, treeSize: 5 })
      const smaller = yield* call.get_audit_proof({ entryId, treeSize: 4 })
      assert.strictEqual(smaller.treeSize, 4)
      assert.notStrictEqual(smaller.rootHash, proof.rootHash)
      for (const treeSize of [3, 6]) {
        const refused = yield* Effect.flip(call.get_audit_proof({ entryId, treeSize }))
        assert.strictEqual(refused.param, "treeSize")
      }
    })
  )

  it.effect("has one checkpoint of one size, whenever it is asked for", () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* anOwner
      yield* appended(accountId, 3)
      const first = yield* call.get_audit_checkpoint({})
      yield* appended((yield* anOwner).accountId, 3)
      assert.deepStrictEqual(yield* call.get_audit_checkpoint({}), first)
      yield* appended(accountId, 1)
      const second = yield* call.get_audit_checkpoint({})
      assert.strictEqual(second.treeSize, 4)
      const same = yield* call.get_audit_proof({ fromTreeSize: 4 })
      assert.deepStrictEqual(same.hashes, [])
      assert.strictEqual(same.rootHash, second.rootHash)
    })
  )
})
