/** The embedded engine keeps its rows, owns its directory, and survives a broken session. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import { inspect } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { DataDirectoryInUse } from "../../../adapters/postgres/data-directory-lock.ts"
import * as Defect from "../../../adapters/postgres/defect.ts"
import * as Embedded from "../../../adapters/postgres/embedded.ts"
import { sessionOver } from "../../../adapters/postgres/session-stream.ts"
import { outageOf } from "../../../core/ports/records.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const aDirectory = temporaryFolder("bursar-embedded-")

it.live("rows are there when the directory is opened again, and nobody else may open it", () =>
  Effect.gen(function* () {
    const directory = yield* aDirectory
    const engine = Embedded.layer({ directory })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table note (word text)`
      yield* sql`insert into note values ('kept')`
      const second = yield* Effect.flip(
        Effect.provide(SqlClient.SqlClient, engine, { local: true })
      )
      assert.instanceOf(second, DataDirectoryInUse)
    }).pipe(Effect.provide(engine, { local: true }))
    const read = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select word from note`)
    assert.deepStrictEqual(yield* Effect.provide(read, engine, { local: true }), [{ word: "kept" }])
  })
)

it.live(
  "nothing is written while the disk is nearly full, and what has begun or reads goes on",
  () =>
    Effect.gen(function* () {
      const mib = 1024 * 1024
      let free = 1000 * mib
      const directory = yield* aDirectory
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => void said.push(String(message)))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table note (word text)`
        const write = (word: string) => sql`insert into note values (${word})`
        const words = Effect.map(sql<{ readonly word: string }>`select word from note`, (rows) =>
          rows.map(({ word }) => word)
        )
        yield* write("roomy")
        yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* write("begun")
            free = 47 * mib
            yield* write("begun before")
          })
        )
        for (const bytes of [47, 0, 63]) {
          free = bytes * mib
          assert.include(inspect(yield* Effect.flip(write("full"))), "read-only transaction")
          const inTransaction = yield* Effect.exit(Defect.orDie(sql.withTransaction(write("full"))))
          assert(Exit.isFailure(inTransaction))
          assert.strictEqual(outageOf(inTransaction.cause)?._tag, "RecordsReadOnly")
          assert.deepStrictEqual(yield* words, ["roomy", "begun", "begun before"])
        }
        free = 64 * mib
        yield* write("roomy again")
        assert.lengthOf(yield* words, 4)
        yield* Effect.yieldNow
        assert.lengthOf(said, 2, said.join())
        assert.match(
          said[0] ?? "",
          /^47 MiB are free on the disk of .*nothing is written to the database until/u
        )
        assert.match(said[1] ?? "", /^64 MiB are free .*written to again/u)
      }).pipe(
        Effect.provide(Embedded.layer({ directory, free: () => free }), { local: true }),
        Effect.provide(Logger.layer([logger]))
      )
    })
)

const clientOn = (stream: () => Duplex) =>
  PgClient.layer({
    stream,
    username: "postgres",
    database: "postgres",
    ssl: false,
    maxConnections: 1
  })

/** Hands on every byte by itself. */
const chopped = (stream: Duplex): Duplex => {
  const write = stream.write.bind(stream) as (chunk: Uint8Array) => boolean
  return Object.assign(stream, {
    write: (chunk: Uint8Array) => {
      for (const byte of chunk) write(Uint8Array.of(byte))
      return true
    }
  })
}

it.live("messages reach the engine whole, whatever pieces they come in", () =>
  Effect.gen(function* () {
    const database = yield* FreshEmbedded.database
    const word = "long ✓ ".repeat(500)
    const echoed = Effect.flatMap(
      SqlClient.SqlClient,
      (sql) => sql`select ${word}::text as word, ${7}::integer as number`
    )
    const rows = yield* Effect.provide(
      echoed,
      clientOn(() => chopped(sessionOver(database)))
    )
    assert.deepStrictEqual(rows, [{ word, number: 7 }])
  })
)

it.live("a session that broke in a transaction leaves nothing of it to the next one", () =>
  Effect.gen(function* () {
    const database = yield* FreshEmbedded.database
    const streams: Array<Duplex> = []
    const open = () => {
      const stream = sessionOver(database)
      streams.push(stream)
      return stream
    }
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table note (word text)`
      const broken = yield* sql`insert into note values ('lost')`.pipe(
        Effect.andThen(Effect.sync(() => streams.at(-1)?.destroy())),
        Effect.andThen(sql`select 1`),
        sql.withTransaction,
        Effect.exit
      )
      assert.isTrue(Exit.isFailure(broken))
      yield* sql`insert into note values ('kept')`
      assert.deepStrictEqual(yield* sql`select word from note`, [{ word: "kept" }])
      assert.isAbove(streams.length, 1)
    }).pipe(Effect.provide(clientOn(open)))
  })
)

it.live("a caller that stops waiting rolls back and leaves the session to the others", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create table note (word text)`
    const stopped = yield* sql`insert into note values ('lost')`.pipe(
      Effect.andThen(sql`select count(*) from generate_series(1, 3000000)`),
      Effect.andThen(Effect.never),
      sql.withTransaction,
      Effect.timeout("100 millis"),
      Effect.exit
    )
    assert.isTrue(Exit.isFailure(stopped))
    const turns = yield* Effect.all(
      Array.from({ length: 20 }, () => sql.withTransaction(sql`select word from note`)),
      { concurrency: "unbounded" }
    )
    assert.deepStrictEqual(turns.flat(), [])
  }).pipe(Effect.provide(Embedded.memory))
)

it.live("files that cannot be opened are refused with why, and with what to do", () =>
  Effect.gen(function* () {
    const directory = yield* aDirectory
    const engine = Embedded.layer({ directory })
    const opening = Effect.provide(SqlClient.SqlClient, engine, { local: true })
    yield* opening
    const control = join(directory, "postgres", "global", "pg_control")
    writeFileSync(control, readFileSync(control).fill(7, 0, 512))
    for (let time = 1; time <= 2; time++) {
      const refused = yield* Effect.flip(opening)
      assert.instanceOf(refused, Embedded.EmbeddedDatabaseUnreadable)
      assert.match(
        refused.message,
        /cannot be opened: database files are incompatible .*restore a backup/u
      )
    }
  })
)
