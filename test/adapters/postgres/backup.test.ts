/** A copy that is made while the embedded database is written to opens whole, and on a timeline of its own. */
import { execFileSync } from "node:child_process"
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Ref } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Backup from "../../../adapters/postgres/backup.ts"
import * as Embedded from "../../../adapters/postgres/embedded.ts"
import * as ServerIdentity from "../../../adapters/postgres/server-identity.ts"
import * as Upkeep from "../../../adapters/postgres/upkeep.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const aDirectory = temporaryFolder("bursar-backup-")

/** A directory whose database is what a backup has. */
const unpacked = Effect.fnUntraced(function* (tar: Buffer) {
  const directory = yield* aDirectory
  const files = join(directory, "postgres")
  mkdirSync(files, { mode: 0o700 })
  writeFileSync(join(directory, "backup.tar"), tar)
  execFileSync("tar", ["-xf", join(directory, "backup.tar"), "-C", files])
  return directory
})

/** The backup, with something done before each of its pieces is written. */
const backedUp = Effect.fnUntraced(function* <E, R>(
  meanwhile: (piece: number) => Effect.Effect<unknown, E, R>
) {
  const engine = yield* Backup.copyable
  const pieces: Array<Buffer> = []
  yield* Backup.copy(engine, (bytes) => {
    pieces.push(Buffer.from(bytes))
    return meanwhile(pieces.length)
  })
  return Buffer.concat(pieces)
})

const server = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly server: string }>`select ${ServerIdentity.serverNow(sql)} as server`,
    ([row]) => row?.server ?? ""
  )
)

interface Notes {
  readonly notes: number
  readonly sum: number
  readonly indexed: number
  readonly last: number
}

/** Read by the table and by its index, which must have the same. */
const notes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [found] = yield* sql<Notes>`
    select count(*)::int as notes, coalesce(sum(id), 0)::int as sum,
      coalesce(max(id), 0)::int as last from note`
  yield* sql`set enable_seqscan = off`
  const [indexed] = yield* sql<Notes>`
    select count(*)::int as indexed from note where id > 0`
  yield* sql`set enable_seqscan = on`
  return { ...found, ...indexed } as Notes
})

const on = (directory: string) => Embedded.layer({ directory })

const patience = 120_000

/** Its last file of the log. */
const cutShort = (directory: string) => {
  const log = join(directory, "postgres", "pg_wal")
  const last = readdirSync(log).toSorted().at(-1) ?? ""
  rmSync(join(log, last))
}

it.live(
  "has all that was committed before it was begun, while others write, drop tables and cut the log",
  () =>
    Effect.gen(function* () {
      const { before, home, tar } = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table note (id integer primary key, word text)`
        yield* sql`insert into note select n, repeat('x', 400) from generate_series(1, 5000) n`
        const last = yield* Ref.make(5000)
        const write = Effect.gen(function* () {
          const id = yield* Ref.updateAndGet(last, (n) => n + 1)
          yield* sql`insert into note values (${id}, ${"y".repeat(400)})`
          yield* sql`update note set word = ${`z${id}`} where id % 97 = ${id % 97}`
        })
        const writing = yield* Effect.forkChild(Effect.forever(write))
        const before = yield* Ref.get(last)
        const tar = yield* backedUp((piece) =>
          Effect.gen(function* () {
            yield* Effect.sleep(10)
            if (piece % 12 !== 0) return
            yield* sql`create table brief (word text)`
            yield* sql`drop table brief`
            yield* sql`select pg_switch_wal()::text`
            yield* Upkeep.visit({ ...Upkeep.usual, cutsAfterBytes: 0 })
          })
        )
        yield* Fiber.interrupt(writing)
        assert.isAbove(yield* Ref.get(last), before + 5, "it was written to meanwhile")
        // What came after it is of no matter to it.
        yield* sql`delete from note`
        return { before, tar, home: yield* server }
      }).pipe(Effect.provide(on(yield* aDirectory), { local: true }))
      const onTimeline = (n: number) => home.replace(/1$/u, String(n))
      const look = Effect.gen(function* () {
        const found = yield* notes
        assert.isAtLeast(found.last, before)
        assert.strictEqual(found.notes, found.last, "no row lacks")
        assert.strictEqual(found.sum, (found.last * (found.last + 1)) / 2)
        assert.strictEqual(found.indexed, found.notes)
        return yield* server
      })
      const restored = yield* unpacked(tar)
      const again = yield* Effect.gen(function* () {
        assert.strictEqual(yield* look, onTimeline(2))
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into note select max(id) + 1, 'since' from note`
        return yield* backedUp(() => Effect.void)
      }).pipe(Effect.provide(on(restored), { local: true }))
      const lookIn = (directory: string) => Effect.provide(look, on(directory), { local: true })
      assert.strictEqual(yield* lookIn(restored), onTimeline(2), "it is opened again as it is")
      assert.strictEqual(yield* lookIn(yield* unpacked(again)), onTimeline(3))
      const broken = yield* unpacked(tar)
      cutShort(broken)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(lookIn(broken))), "a part is not opened")
    }),
  patience
)

it.live(
  "one is made at a time, and one that fails leaves nothing behind",
  () =>
    Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table note (id integer primary key, word text)`
        const refusals: Array<Backup.BackupRefused> = []
        yield* backedUp((piece) =>
          piece === 3
            ? Effect.map(Effect.flip(backedUp(() => Effect.void)), (refused) =>
                refusals.push(refused)
              )
            : Effect.void
        )
        assert.match(refusals[0]?.message ?? "", /^Another backup/u)
        const failed = yield* Effect.flip(
          backedUp((piece) => (piece === 5 ? Effect.fail("disk full" as const) : Effect.void))
        )
        assert.strictEqual(failed, "disk full")
        yield* sql`insert into note values (1, 'after')`
        const tar = yield* backedUp(() => Effect.void)
        const found = yield* Effect.provide(notes, on(yield* unpacked(tar)), { local: true })
        assert.strictEqual(found.notes, 1)
      }).pipe(Effect.provide(on(yield* aDirectory), { local: true }))
      const refused = yield* Effect.flip(
        Effect.provide(Backup.copyable, FreshEmbedded.engine, { local: true })
      )
      assert.strictEqual(
        refused._tag,
        "BackupRefused",
        "an engine of somebody else's is not copied"
      )
    }),
  patience
)
