/** The line of history over a real database and a key store on the disk. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as KeyStore from "../../../adapters/secrets/timeline.ts"
import * as Records from "../../../apps/server/timeline.ts"
import { requireSending } from "../../../core/timeline/sending.ts"
import { begun, type Held, type Line, Timeline } from "../../../core/timeline/timeline.ts"
import { change, type HeldLine } from "../../../core/treasury/reading-lease.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-timeline-")

const at = (path: string, isShared = true) => KeyStore.at({ directory: path, isShared })

const standing = Effect.flatMap(Timeline, ({ look }) => look)

/** What workers do, but for what asks the chains. */
const turns = Effect.gen(function* () {
  const { keep, look, write } = yield* Timeline
  for (let turn = 0; turn < 4; turn++) {
    const seen = yield* look
    if (seen._tag === "moved" || seen._tag === "unnamed") yield* write(seen.line, seen.next)
    if (seen._tag === "unkept") yield* keep(seen.line)
  }
})

describe("the records' line of history", () => {
  it.live(
    "begins open, and is fenced by a later number in the key store",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        yield* Effect.gen(function* () {
          assert.deepStrictEqual(yield* standing, { _tag: "open" })
          yield* requireSending()
          yield* KeyStore.take(path, { number: 2, server: "another" })
          assert.strictEqual((yield* standing)._tag, "fenced")
          const refused = yield* Effect.flip(requireSending())
          assert.strictEqual(refused._tag, "SENDING_HELD")
        }).pipe(Effect.provide(Records.layer(at(path))), Effect.provide(FreshEmbedded.engine))
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
          Effect.provide(Records.layer(at(path))),
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
          const unnamed = yield* look
          if (unnamed._tag !== "unnamed") return assert.fail(`it is ${unnamed._tag}`)
          assert.isTrue(yield* write(unnamed.line, unnamed.next))
          assert.strictEqual((yield* look)._tag, "held")
          assert.isTrue(yield* write(unnamed.next, { ...unnamed.next, held: null }))
          assert.isFalse(yield* write(unnamed.next, unnamed.next))
          assert.strictEqual((yield* look)._tag, "open")
          yield* Records.disown(false)
          assert.strictEqual((yield* look)._tag, "moved")
        }).pipe(Effect.provide(Records.layer(at(path))), Effect.provide(FreshEmbedded.engine))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "an emptied folder signs nothing until an operator names a new one",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        yield* Effect.gen(function* () {
          assert.strictEqual((yield* standing)._tag, "open")
          rmSync(join(path, "records-timeline"), { recursive: true })
          assert.strictEqual((yield* standing)._tag, "missing")
          yield* turns
          assert.strictEqual((yield* standing)._tag, "missing")
          assert.include((yield* Effect.flip(requireSending())).message, "BURSAR_TIMELINE_DIR")
          yield* Records.disown(false)
          assert.strictEqual((yield* standing)._tag, "missing")
          yield* Records.disown(true)
          yield* turns
          const held = yield* standing
          assert.isTrue(held._tag === "held" && held.line.number === 2)
          assert.isTrue(held._tag === "held" && held.line.keyStore !== null)
        }).pipe(Effect.provide(Records.layer(at(path))), Effect.provide(FreshEmbedded.engine))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "without a shared folder a new machine signs, and a process whose own was emptied does not",
    () =>
      Effect.gen(function* () {
        const [path, other] = [yield* directory, yield* directory]
        yield* Effect.gen(function* () {
          const machine = yield* Timeline
          assert.strictEqual((yield* machine.look)._tag, "open")
          yield* Effect.gen(function* () {
            yield* turns
            assert.strictEqual((yield* standing)._tag, "open")
          }).pipe(Effect.provide(Records.layer(at(other, false))))
          rmSync(join(path, "records-timeline"), { recursive: true })
          const silent = yield* machine.look
          assert.isTrue(silent._tag === "silent" && silent.detail.includes("mounted"))
        }).pipe(
          Effect.provide(Records.layer(at(path, false))),
          Effect.provide(FreshEmbedded.engine)
        )
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "a line is written only on the server that it names",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        yield* Effect.gen(function* () {
          const { look, write } = yield* Timeline
          yield* Records.disown(false)
          const moved = yield* look
          if (moved._tag !== "moved") return assert.fail(`it is ${moved._tag}`)
          const elsewhere = { ...moved.next, server: "of another session" }
          assert.isFalse(yield* write(moved.line, elsewhere))
          assert.isFalse(yield* write(undefined, elsewhere))
          assert.deepStrictEqual((yield* look)._tag, "moved")
          assert.isTrue(yield* write(moved.line, moved.next))
        }).pipe(Effect.provide(Records.layer(at(path))), Effect.provide(FreshEmbedded.engine))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "what a process has read is kept beside what another has written meanwhile",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        yield* Effect.gen(function* () {
          yield* Records.disown(false)
          yield* turns
          const { look, write } = yield* Timeline
          const before = yield* look
          if (before._tag !== "held" || before.line.held === null) return assert.fail(before._tag)
          const { held, line } = { line: before.line, held: before.line.held }
          const reader = { id: "another", until: "2030-01-01T00:00:00.000Z" }
          const known = yield* Ref.make({ line, held })
          assert.isTrue(yield* write(line, { ...line, held: { ...held, reader } }))
          const charge = (now: typeof held) => ({ ...now, charged: now.charged + 3 })
          assert.isTrue(yield* change(known, charge, write))
          const after = yield* look
          const kept = after._tag === "held" ? after.line.held : null
          assert.deepStrictEqual(kept, { ...held, reader, charged: 3 })
          yield* Records.disown(false)
          yield* turns
          assert.isFalse(yield* change(known, charge, write), "another line was begun")
        }).pipe(Effect.provide(Records.layer(at(path))), Effect.provide(FreshEmbedded.engine))
      }).pipe(Effect.scoped),
    120_000
  )

  it.live(
    "what a process has read of a late chain is kept beside what another has read of another one",
    () =>
      Effect.gen(function* () {
        const path = yield* directory
        yield* Effect.gen(function* () {
          yield* Records.disown(false)
          yield* turns
          const { look, write } = yield* Timeline
          const before = yield* look
          if (before._tag !== "held") return assert.fail(before._tag)
          const since = "2030-01-01T00:00:00.000Z"
          const line: Line = {
            ...before.line,
            // In another order than the records have them in.
            connectedAt: { polygon: since, base: since },
            late: { polygon: begun, base: begun },
            ...{ held: null, through: {}, fenced: 1 }
          }
          assert.isTrue(yield* write(before.line, line))
          const known = yield* Ref.make<HeldLine>({ line, held: begun, late: "base" })
          const reader = { id: "another", until: since }
          const other = { ...line, late: { base: begun, polygon: { ...begun, reader } } }
          assert.isTrue(yield* write(line, other))
          const charge = (now: Held) => ({ ...now, charged: now.charged + 3 })
          assert.isTrue(yield* change(known, charge, write))
          const after = yield* look
          assert.strictEqual(after._tag, "open", "all other chains send")
          assert.deepStrictEqual(after._tag === "open" ? after.waited?.line.late : undefined, {
            base: { ...begun, charged: 3 },
            polygon: { ...begun, reader }
          })
          assert.deepStrictEqual(yield* Records.unreadChains, [
            { chainId: "polygon", since },
            { chainId: "base", since }
          ])
          assert.match((yield* Effect.flip(requireSending(["base"]))).message, /not connected/u)
          yield* requireSending()
        }).pipe(Effect.provide(Records.layer(at(path))), Effect.provide(FreshEmbedded.engine))
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
