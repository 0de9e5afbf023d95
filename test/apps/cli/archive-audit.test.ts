/**
 * The audit texts of closed years leave the database for files, on both engines and in a running service; the files and
 * what is left prove the whole log, and say which of them lacks and which was changed.
 */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { TestClock } from "effect/testing"
import { archiveAccount } from "../../../apps/cli/operator/archive-account.ts"
import * as Operator from "../../../apps/cli/operator/listen.ts"
import { office } from "../../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../../apps/server/configuration.ts"
import { checkpointSigner } from "../../../apps/server/wiring.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { checkpointOf } from "../../../core/audit/checkpoint.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { ran } from "../../support/command-line.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { owner } from "../../support/full-account.ts"
import * as Rows from "../../support/rows.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-archive-")

const embedded = Effect.map(directory, (path) => ({ BURSAR_DATA_DIR: join(path, "data") }))

const onServer = Effect.all({
  BURSAR_DATA_DIR: directory,
  DATABASE_URL: FreshDatabase.url("empty")
})

/** Three entries of 2020, two of 2021; that of the account's opening is of this year. */
const planted = Effect.fnUntraced(function* (accountId: string) {
  const days = ["2020-01-01", "2020-07-01", "2020-12-31", "2021-01-01", "2021-12-31"]
  const entries = days.map((day) =>
    Rows.anEntry(accountId, {
      facts: { label: "till ünï" },
      createdAt: DateTime.makeUnsafe(`${day}T23:59:59.999Z`)
    })
  )
  yield* (yield* Audit).append(entries)
})

const opened = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
  const bursar = (...words: ReadonlyArray<string>) => ran(words, environment)
  const shop = ["accounts", "open", "--name", "Shop", "--kind", "developer", "--json"]
  const { id } = JSON.parse((yield* bursar(...shop)).stdout)
  const archive = (year: number, ...rest: ReadonlyArray<string>) =>
    bursar("archive-audit", "--until", String(year), ...rest)
  return { accountId: id as string, archive, bursar }
})

/** The embedded database is opened by each command anew. */
const patience = 120_000

const engines = [
  ["PGlite", embedded],
  ["PostgreSQL", onServer]
] as const

describe.each(engines)("the audit texts of closed years on %s", (_, engine) => {
  it.live(
    "are moved year by year, each once, and this year's stay",
    () =>
      Effect.gen(function* () {
        const environment = yield* engine
        const { accountId, archive, bursar } = yield* opened(environment)
        const records = office(Configuration.read(environment))
        yield* Effect.provide(planted(accountId), records)
        const folder = join(environment.BURSAR_DATA_DIR, "audit-archive")
        const thisYear = DateTime.getPartUtc(yield* DateTime.now, "year")
        assert.strictEqual((yield* archive(thisYear)).exitCode, 2)
        assert.strictEqual((yield* archive(2020, "--folder", "here")).exitCode, 2)
        const first = `audit-${accountId}-0-2.jsonl`
        const second = `audit-${accountId}-3-4.jsonl`
        const moved = yield* archive(2020, "--json")
        assert.strictEqual(moved.exitCode, 0, moved.stderr)
        assert.deepInclude(JSON.parse(moved.stdout), { moved: 3, folder, files: [first] })
        assert.strictEqual(statSync(join(folder, first)).mode & 0o777, 0o600)
        assert.match((yield* archive(2020)).stdout, /^No entries until the end of 2020/u)
        assert.deepInclude(JSON.parse((yield* archive(2021, "--json")).stdout), {
          moved: 2,
          files: [second]
        })
        assert.deepStrictEqual(readdirSync(folder).toSorted(), [first, second].toSorted())
        const { key, left } = yield* Effect.gen(function* () {
          const { rows } = yield* (yield* Audit).list(accountId, { limit: 99 })
          const { verifierKey } = yield* checkpointOf(accountId)
          return { key: verifierKey, left: rows.map(({ action }) => action) }
        }).pipe(Effect.provide(checkpointSigner), Effect.provide(records))
        assert.deepStrictEqual(left, ["account.opened"])

        const [one, other] = [join(folder, first), join(folder, second)]
        const verify = (...files: ReadonlyArray<string>) =>
          bursar("audit", "verify", ...files, "--key", key)
        const whole = yield* verify(other, one)
        assert.strictEqual(whole.exitCode, 0, whole.stderr)
        assert.include(whole.stdout, `${one}: entries 0 to 2, whole and unchanged.`)
        assert.include(whole.stdout, `${other}: entries 3 to 4, whole and unchanged.`)
        assert.include(whole.stdout, "All 5 entries of account")
        const alone = yield* verify(other)
        assert.strictEqual(alone.exitCode, 1)
        assert.match(alone.stderr, /^missing_file: Entries 0 to 2 are in none of these files/u)

        const text = readFileSync(one, "utf8")
        writeFileSync(one, text.replace("till", "tell"))
        const altered = yield* verify(one, other)
        assert.strictEqual(altered.exitCode, 1)
        assert.match(altered.stderr, /^altered_entry: Entry 0 was changed .*0-2\.jsonl, line 1\)/mu)
        const changed = yield* archive(2021)
        assert.strictEqual(changed.exitCode, 1)
        assert.include(changed.stderr, `${first} in ${folder} was changed`)
        rmSync(one)
        const gone = yield* archive(2021)
        assert.strictEqual(gone.exitCode, 0)
        assert.include(gone.stderr, `${first} is not in ${folder}`)
      }).pipe(Effect.scoped),
    patience
  )

  it.live(
    "stay where one was changed in the database",
    () =>
      Effect.gen(function* () {
        const environment = yield* engine
        const { accountId, archive } = yield* opened(environment)
        const records = office(Configuration.read(environment))
        yield* Effect.gen(function* () {
          yield* planted(accountId)
          yield* checkpointOf(accountId)
          const sql = yield* SqlClient
          yield* sql`alter table audit_entry disable trigger user`
          yield* sql`update audit_entry set created_at = created_at + interval '1 millisecond'
          where created_at < '2020-02-01'`
          yield* sql`alter table audit_entry enable trigger user`
        }).pipe(Effect.provide(checkpointSigner), Effect.provide(records))
        const refused = yield* archive(2021)
        assert.strictEqual(refused.exitCode, 1)
        assert.match(refused.stderr, /^Entry 0 of account .* was changed in the database/u)
        const { rows } = yield* Effect.provide(
          Audit.use(({ list }) => list(accountId, { limit: 99 })),
          records
        )
        assert.lengthOf(rows, 6)
      }).pipe(Effect.scoped),
    patience
  )
})

describe("the audit texts of closed years beside a running service", () => {
  it.live("are moved by it", () =>
    Effect.gen(function* () {
      const environment = yield* embedded
      const records = office(Configuration.read(environment))
      const listening = Operator.layer(environment.BURSAR_DATA_DIR)
      const running = yield* Layer.build(Layer.provideMerge(listening, records))
      const { accountId, archive } = yield* opened(environment)
      yield* Effect.provide(planted(accountId), running)
      const folder = yield* directory
      const { exitCode, stderr, stdout } = yield* archive(2021, "--folder", folder)
      assert.strictEqual(exitCode, 0, stderr)
      assert.include(stdout, "Moved the texts of 5 entries")
      assert.deepStrictEqual(readdirSync(folder), [`audit-${accountId}-0-4.jsonl`])
      const { rows } = yield* Effect.provide(
        Audit.use(({ list }) => list(accountId, { limit: 99 })),
        running
      )
      assert.lengthOf(rows, 1)
    }).pipe(Effect.scoped)
  )
})

layer(Surfaces.layer())("an export", (it) => {
  it.effect("goes on where the archived texts end, and both prove the whole log", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_7", TestClock.adjust("1 second"))
      const call = callsOf(own.caller)
      const folder = yield* directory
      const environment = { BURSAR_URL: yield* Surfaces.Origin, BURSAR_API_KEY: own.apiKey }
      const out = join(folder, "log.jsonl")
      const kept = yield* call.get_audit_checkpoint({})
      writeFileSync(join(folder, "kept"), kept.checkpoint)
      const before = DateTime.add(yield* DateTime.now, { seconds: 1 })
      yield* TestClock.adjust("91 days")
      const { file = "" } = yield* archiveAccount(own.caller.accountId, folder, before)
      yield* TestClock.adjust("1 minute")
      yield* call.create_api_key({ scopes: ["account:read"] })
      const taken = yield* ran(["audit", "export", "--out", out], environment)
      assert.strictEqual(taken.exitCode, 0, taken.stderr)
      assert.include(taken.stderr, `after those in ${file}`)
      const { treeSize, verifierKey } = yield* call.get_audit_checkpoint({})
      const verify = (...files: ReadonlyArray<string>) =>
        ran(
          [
            ...["audit", "verify", ...files, "--key", verifierKey],
            ...["--checkpoint", join(folder, "kept")]
          ],
          {}
        )
      const whole = yield* verify(join(folder, file), out)
      assert.deepStrictEqual([whole.exitCode, whole.stderr], [0, ""])
      assert.include(whole.stdout, `All ${treeSize} entries`)
      const alone = yield* verify(out)
      assert.strictEqual(alone.exitCode, 1)
      assert.match(alone.stderr, /^missing_file: /u)
    })
  )
})
