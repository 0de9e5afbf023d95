/** The entry of a break is of one instant, whoever signs it and however long that takes. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemorySigner from "../../../adapters/memory/checkpoint-signer.ts"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as MemorySecrets from "../../../adapters/memory/secrets.ts"
import { entryOf } from "../../../core/audit/break.ts"
import { CheckpointSigner } from "../../../core/ports/checkpoint-signer.ts"

/** The time that an id of the seventh version tells. */
const timeIn = (id: string) => Number.parseInt(id.replaceAll("-", "").slice(0, 12), 16)

const slow = Layer.effect(
  CheckpointSigner,
  Effect.map(CheckpointSigner, ({ publicKey, sign }) => ({
    publicKey,
    sign: (text: string) => Effect.delay(sign(text), "10 seconds")
  }))
).pipe(Layer.provide(MemorySigner.layer))

it.effect("a signer that takes ten seconds leaves id and time of the entry the same", () =>
  Effect.gen(function* () {
    const last = { treeSize: 5, rootHash: new Uint8Array(32), line: 1 }
    const making = yield* Effect.forkChild(entryOf("account", last, 2))
    yield* TestClock.adjust("10 seconds")
    const { createdAt, id } = yield* Fiber.join(making)
    assert.strictEqual(timeIn(id), DateTime.toEpochMillis(createdAt))
  }).pipe(Effect.provide(Layer.mergeAll(slow, Ids.layer(1), MemorySecrets.layer)))
)
