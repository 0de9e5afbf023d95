/** The line of history over a real database and a key store on the disk. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as KeyStore from "../../../adapters/secrets/timeline.ts"
import * as Records from "../../../apps/server/timeline.ts"
import { requireSending } from "../../../core/timeline/sending.ts"
import { Timeline } from "../../../core/timeline/timeline.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"

const directory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bursar-timeline-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

const standing = Effect.flatMap(Timeline, ({ look }) => look)

describe("the records' line of history", () => {
  it.live(
    "begins open, and is fenced by a later number in the key store",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* standing, { _tag: "open" })
          yield* requireSending
          yield* KeyStore.take(path, { number: 2, server: "another" })
          assert.strictEqual((yield* standing)._tag, "fenced")
          const refused = yield* Effect.flip(requireSending)
          assert.strictEqual(refused._tag, "SENDING_HELD")
        }).pipe(
          Effect.provide(Records.layer(KeyStore.at(path))),
          Effect.provide(FreshEmbedded.engine)
        )
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "another database beside the same key store begins a later line, and waits",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        const begin = Effect.asVoid(standing)
        yield* begin.pipe(
          Effect.provide(Records.layer(KeyStore.at(path))),
          Effect.provide(FreshEmbedded.engine)
        )
        yield* Effect.gen(function* () {
          const { keep, look, write } = yield* Timeline
          const moved = yield* look
          if (moved._tag !== "moved") return assert.fail(`it is ${moved._tag}`)
          assert.strictEqual(moved.next.number, 2)
          assert.isTrue(yield* write(moved.line, moved.next))
          assert.strictEqual((yield* look)._tag, "unkept")
          yield* keep(moved.next)
          assert.strictEqual((yield* look)._tag, "held")
          assert.isTrue(yield* write(moved.next, { ...moved.next, held: null }))
          assert.isFalse(yield* write(moved.next, moved.next))
          assert.strictEqual((yield* look)._tag, "open")
          yield* Records.disown
          assert.strictEqual((yield* look)._tag, "moved")
        }).pipe(
          Effect.provide(Records.layer(KeyStore.at(path))),
          Effect.provide(FreshEmbedded.engine)
        )
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "a number in the key store is taken once",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        const servers = Array.from({ length: 20 }, (_, at) => `server ${at}`)
        yield* Effect.forEach(servers, (server) => KeyStore.take(path, { number: 5, server }), {
          concurrency: "unbounded",
          discard: true
        })
        const kept = yield* KeyStore.read(path)
        yield* KeyStore.take(path, { number: 4, server: "late" })
        yield* KeyStore.take(path, { number: 5, server: "late" })
        assert.deepStrictEqual(yield* KeyStore.read(path), kept)
        assert.isTrue(kept?.number === 5 && servers.includes(kept.server))
      }).pipe(Effect.scoped),
    120_000
  )
})
