/** `bursar reclaim-marks` as a command: what it refuses, and what it writes down before it takes anything back. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as KeyMaterial from "../../../adapters/postgres/key-material.ts"
import { lineName } from "../../../adapters/postgres/line-now.ts"
import * as Lines from "../../../adapters/secrets/timeline.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import * as MarkHorizon from "../../../apps/server/mark-horizon.ts"
import * as Timeline from "../../../apps/server/timeline.ts"
import { Timeline as Records } from "../../../core/timeline/timeline.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-reclaim-")

const dead = "http://127.0.0.1:9"
const chains = { BURSAR_CHAINS: "solana", BURSAR_RPC_SOLANA: dead }

const migrated = Effect.gen(function* () {
  const home = { BURSAR_DATA_DIR: yield* directory, DATABASE_URL: yield* FreshDatabase.url() }
  yield* ran(["migrate"], home)
  return home
})

const reclaim = (before: string, environment: Readonly<Record<string, string>>) =>
  ran(["reclaim-marks", "--before", before], environment)

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()

const patienceMs = 120_000

describe("bursar reclaim-marks", () => {
  it.live(
    "refuses each time it cannot use, by name, and writes nothing down",
    () =>
      Effect.gen(function* () {
        const home = { ...(yield* migrated), ...chains }
        const words = yield* reclaim("yesterday", home)
        assert.deepStrictEqual([words.exitCode, words.stdout], [2, ""])
        assert.include(words.stderr, "--before must be an ISO 8601 time")
        const young = yield* reclaim(hoursAgo(23), home)
        assert.strictEqual(young.exitCode, 1)
        assert.include(young.stderr, "at least 24 hours ago")
        const { BURSAR_DATA_DIR, DATABASE_URL } = home
        const unconnected = yield* reclaim(hoursAgo(25), { BURSAR_DATA_DIR, DATABASE_URL })
        assert.strictEqual(unconnected.exitCode, 1)
        assert.include(unconnected.stderr, "No Solana chain is connected")
        assert.throws(() => readFileSync(join(home.BURSAR_DATA_DIR, "solana-mark-horizon")))
      }).pipe(Effect.scoped),
    patienceMs
  )

  it.live(
    "keeps its horizon beside the key, moves it on only, and holds older records to reconcile",
    () =>
      Effect.gen(function* () {
        const home = { ...(yield* migrated), ...chains }
        const kept = () => readFileSync(join(home.BURSAR_DATA_DIR, "solana-mark-horizon"), "utf8")
        const [first, later] = [hoursAgo(50), hoursAgo(30)]
        const done = yield* reclaim(first, home)
        assert.strictEqual(done.exitCode, 0, done.stderr)
        assert.include(done.stdout, "solana: 0 marks taken back")
        assert.strictEqual(kept().trim(), first)
        assert.strictEqual((yield* reclaim(later, home)).exitCode, 0)
        assert.strictEqual(kept().trim(), later)
        assert.strictEqual((yield* reclaim(first, home)).exitCode, 0)
        assert.strictEqual(kept().trim(), later)
        // Records of another time, under the same key store.
        const older = { ...home, DATABASE_URL: yield* FreshDatabase.url() }
        yield* ran(["migrate"], older)
        const behind = yield* reclaim(later, older)
        assert.strictEqual(behind.exitCode, 1)
        assert.include(behind.stderr, "Run bursar reconcile first")
        const reconciled = yield* ran(["reconcile"], older)
        // Without its node nobody knows how much of the history was looked at.
        assert.strictEqual(reconciled.exitCode, 1)
        assert.include(reconciled.stderr, "still sign nothing on Solana")
        assert.strictEqual((yield* reclaim(later, older)).exitCode, 1)
      }).pipe(Effect.scoped),
    patienceMs
  )

  it.live(
    "writes nothing down while a chain was not read since the records were replaced",
    () =>
      Effect.gen(function* () {
        const home = { ...(yield* migrated), ...chains }
        const configuration = Configuration.read(home)
        const timeline = Timeline.layer(Lines.at(Configuration.lines(configuration)))
        const records = Layer.provideMerge(timeline, office(configuration))
        yield* Effect.gen(function* () {
          const standing = yield* (yield* Records).look
          assert.strictEqual(standing._tag, "open")
          const { sealed } = (yield* KeyMaterial.find(lineName)) ?? assert.fail("it has a line")
          const replaced = { ...JSON.parse(sealed), through: {}, fenced: 1 }
          yield* KeyMaterial.replace(lineName, sealed, JSON.stringify(replaced))
        }).pipe(Effect.provide(records))
        const unread = yield* reclaim(hoursAgo(50), home)
        assert.strictEqual(unread.exitCode, 1, unread.stderr)
        assert.include(unread.stderr, "solana was not connected when the records were replaced")
        assert.include(unread.stderr, "Nothing was taken back")
        assert.throws(() => readFileSync(join(home.BURSAR_DATA_DIR, "solana-mark-horizon")))
        assert.isUndefined(yield* Effect.provide(MarkHorizon.recorded, records))
      }).pipe(Effect.scoped),
    patienceMs
  )

  it.live(
    "asks for a setting where the key-encryption key is one",
    () =>
      Effect.gen(function* () {
        const key = Buffer.alloc(32, 7).toString("base64")
        const home = { ...(yield* migrated), BURSAR_KEY_ENCRYPTION_KEY: key, ...chains }
        const before = hoursAgo(50)
        const asked = yield* reclaim(before, home)
        assert.strictEqual(asked.exitCode, 1)
        assert.include(asked.stderr, `BURSAR_SOLANA_MARK_HORIZON=${before}`)
        const set = { ...home, BURSAR_SOLANA_MARK_HORIZON: before }
        assert.strictEqual((yield* reclaim(before, set)).exitCode, 0)
        const wrong = yield* reclaim(before, { ...home, BURSAR_SOLANA_MARK_HORIZON: "then" })
        assert.include(wrong.stderr, "BURSAR_SOLANA_MARK_HORIZON must be an ISO 8601 time")
      }).pipe(Effect.scoped),
    patienceMs
  )
})
