/** What the embedded engine says is committed is on the disk, and its log there does not grow with all that was written. */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { dirname, join, relative } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Embedded from "../../../adapters/postgres/embedded.ts"
import * as Upkeep from "../../../adapters/postgres/upkeep.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const aDirectory = temporaryFolder("bursar-synced-")

interface Synced {
  files: number
  folders: number
}

/** Counts what is written through to the disk, and fails instead where it is told to. */
const heard = Effect.acquireRelease(
  Effect.sync(() => {
    const through = fs.fsyncSync
    const synced: Synced = { files: 0, folders: 0 }
    const disk = { isBroken: false, kept: (_path: string): void => undefined }
    fs.fsyncSync = (file) => {
      if (disk.isBroken) throw Object.assign(new Error("EIO: i/o error, fsync"), { code: "EIO" })
      const isFolder = fs.fstatSync(file).isDirectory()
      if (isFolder) synced.folders += 1
      else synced.files += 1
      through(file)
      if (!isFolder) disk.kept(fs.readlinkSync(`/proc/self/fd/${file}`))
    }
    syncBuiltinESMExports()
    return { disk, synced, through }
  }),
  ({ through }) =>
    Effect.sync(() => {
      fs.fsyncSync = through
      syncBuiltinESMExports()
    })
)

const words = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ readonly word: string }>`select word from note order by word`
)

it.live(
  "a commit is answered once its log is on the disk, and a new file of the log once its folder is",
  () =>
    Effect.gen(function* () {
      const { synced } = yield* heard
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table note (word text)`
      for (let time = 1; time <= 3; time++) {
        const before = synced.files
        yield* sql`insert into note values ('kept')`
        assert.strictEqual(synced.files, before + 1)
      }
      const before = { ...synced }
      yield* words
      assert.deepStrictEqual(synced, before, "what only reads waits for no disk")
      yield* sql`select pg_switch_wal()::text`
      yield* sql`insert into note values ('in a new file')`
      assert.isAbove(synced.folders, before.folders)
    }).pipe(
      Effect.provide(
        Layer.unwrap(Effect.map(aDirectory, (directory) => Embedded.layer({ directory }))),
        { local: true }
      )
    )
)

it.live.skipIf(process.platform !== "linux")(
  "what was answered is there after a loss of power, which leaves only what was written through",
  () =>
    Effect.gen(function* () {
      const { disk } = yield* heard
      const [directory, afterwards] = [yield* aDirectory, yield* aDirectory]
      const [files, kept] = [join(directory, "postgres"), join(afterwards, "postgres")]
      const engine = Embedded.layer({ directory })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table note (word text)`
        yield* sql`insert into note values ('word 0')`
      }).pipe(Effect.provide(engine, { local: true }))
      fs.cpSync(files, kept, { recursive: true })
      yield* Effect.gen(function* () {
        // From here on the other folder has only what the disk was told to keep.
        disk.kept = (path) => {
          const place = join(kept, relative(files, path))
          fs.mkdirSync(dirname(place), { recursive: true })
          fs.copyFileSync(path, place)
        }
        const sql = yield* SqlClient.SqlClient
        for (let time = 1; time <= 12; time++) {
          yield* sql`insert into note values (${`word ${time}`})`
          if (time === 4) yield* Upkeep.visit({ ...Upkeep.usual, cutsAfterBytes: 0 })
          if (time === 8) yield* sql`select pg_switch_wal()::text`
        }
        disk.kept = () => undefined
        yield* sql`insert into note values ('lost with the power')`
      }).pipe(Effect.provide(engine, { local: true }))
      const found = yield* Effect.provide(words, Embedded.layer({ directory: afterwards }), {
        local: true
      })
      assert.sameMembers(
        found.map(({ word }) => word),
        Array.from({ length: 13 }, (_, time) => `word ${time}`)
      )
    })
)

it.live(
  "where the disk fails nothing is committed any more, and what was before is there again",
  () =>
    Effect.gen(function* () {
      const { disk } = yield* heard
      const engine = Embedded.layer({ directory: yield* aDirectory })
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table note (word text)`
        yield* sql`insert into note values ('before')`
        disk.isBroken = true
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`insert into note values ('lost')`)))
        disk.isBroken = false
        assert.isTrue(Exit.isFailure(yield* Effect.exit(sql`insert into note values ('after')`)))
      }).pipe(Effect.provide(engine, { local: true }))
      const found = yield* Effect.provide(words, engine, { local: true })
      assert.deepInclude(found, { word: "before" })
      assert.notDeepInclude(found, { word: "after" })
    })
)

const logFiles = (directory: string) =>
  fs
    .readdirSync(join(directory, "postgres", "pg_wal"))
    .filter((name) => /^[0-9A-F]{24}$/u.test(name))

it.live("its log is cut, and does not grow with all that was written", () =>
  Effect.gen(function* () {
    const directory = yield* aDirectory
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table note (id integer, word text)`
      const write = sql`insert into note select n, repeat('x', 1000) from generate_series(1, 16000) n`
      for (let time = 0; time < 12; time++) {
        yield* write
        yield* Upkeep.visit()
      }
    }).pipe(Effect.provide(Embedded.layer({ directory }), { local: true }))
    // Of sixteen million bytes each; twelve times as much was written.
    assert.isAtMost(logFiles(directory).length, 5)
  })
)
