/** The operator's commands that only read leave a database as it is, whatever it lacks. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-reads-")

const account = "01a20863-0987-7241-a7ab-f0b3d14b8580"

/** What each is asked with. */
const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["accounts", "list"],
  ["keys", "list", account],
  ["humans", "list", account],
  ["mail", "list"],
  ["relayers"],
  ["stuck-trades"],
  ["unread-chains"],
  ["export", "--from", "2030-01-01", "--to", "2030-01-31"]
]

const asked = (address: string, statement: string) =>
  Effect.provide(
    SqlClient.use((sql) => sql.unsafe<{ readonly name: string }>(statement)),
    FreshDatabase.engineAt(address, 1)
  )

const tables =
  "select table_name as name from information_schema.tables where table_schema = 'public'"

const patienceMs = 180_000

describe("a command that only reads", () => {
  it.live(
    "makes no tables in an empty database and no keys beside it, and says what does",
    () =>
      Effect.gen(function* () {
        const home = join(yield* directory, "data")
        const address = yield* FreshDatabase.url("empty")
        for (const words of commands) {
          const { exitCode, stderr } = yield* ran(words, {
            BURSAR_DATA_DIR: home,
            DATABASE_URL: address
          })
          assert.strictEqual(exitCode, 1, `${words.join(" ")}: ${stderr}`)
          assert.include(stderr, "bursar migrate", words.join(" "))
        }
        assert.deepStrictEqual(yield* asked(address, tables), [])
        assert.isFalse(existsSync(join(home, "pepper")))
      }).pipe(Effect.scoped),
    patienceMs
  )

  it.live(
    "makes no keys for a database that has none, and does not migrate an older one",
    () =>
      Effect.gen(function* () {
        const home = join(yield* directory, "data")
        const address = yield* FreshDatabase.url()
        const environment = { BURSAR_DATA_DIR: home, DATABASE_URL: address }
        const none = yield* ran(["accounts", "list"], environment)
        assert.strictEqual(none.exitCode, 0, none.stderr)
        assert.strictEqual((yield* ran(["relayers"], environment)).exitCode, 0)
        assert.deepStrictEqual(yield* asked(address, "select name from key_material"), [])
        yield* asked(address, "delete from migration")
        const older = yield* ran(["accounts", "list"], environment)
        assert.strictEqual(older.exitCode, 1)
        assert.include(older.stderr, "bursar migrate")
        assert.deepStrictEqual(yield* asked(address, "select name from migration"), [])
      }).pipe(Effect.scoped),
    patienceMs
  )
})
