/**
 * `bursar archive-audit` as a process of its own, killed between each two of its steps: no text is ever lost, none leaves
 * the database whose file is not whole, and the next run ends the work.
 */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { office } from "../../apps/cli/operator/wiring.ts"
import * as Configuration from "../../apps/server/configuration.ts"
import { checkpointSigner } from "../../apps/server/wiring.ts"
import { Audit } from "../../core/audit/audit-store.ts"
import { checkpointOf } from "../../core/audit/checkpoint.ts"
import { ran } from "../support/command-line.ts"
import * as FreshDatabase from "../support/fresh-database.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"
import { temporaryFolder } from "../support/temporary-folder.ts"
import * as Child from "./child.ts"

/** Texts leave in batches of 500: more than one. */
const perRound = 510
const mostSteps = 200
const patience = 900_000

const fileAt = (name: string) => new URL(name, import.meta.url).pathname

/** Runs the command as its own process; what it wrote, and whether it lived. */
const run = (
  program: Child.Bundle,
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>
) =>
  Effect.promise(async () => {
    const command = ["--import", fileAt("die-at-step.ts"), program.file]
    const child = spawn(process.execPath, [...command, ...words], {
      env: { PATH: process.env.PATH, ...Child.cacheOf(program), ...environment },
      stdio: ["ignore", "ignore", "pipe"]
    })
    const ended = new Promise<NodeJS.Signals | number | null>((resolve) => {
      child.on("exit", (code, signal) => resolve(signal ?? code))
    })
    return { said: await text(child.stderr), end: await ended }
  })

/** So many go side by side, each on records of its own, and each dies at another of as many steps that follow. */
const lanes = 5

/** One lane: the steps at which it died, each told in a word. */
const dyingAt = Effect.fnUntraced(function* (lane: number, program: Child.Bundle) {
  const folder = yield* temporaryFolder("bursar-archive-killed-")
  const environment = {
    BURSAR_DATA_DIR: join(folder, "data"),
    DATABASE_URL: yield* FreshDatabase.url("empty")
  }
  const files = join(folder, "files")
  const words = ["archive-audit", "--until", "2020", "--folder", files]
  const planted: Array<string> = []

  return yield* Effect.gen(function* () {
    const audit = yield* Audit
    const sql = yield* SqlClient.SqlClient
    // Of the account's opening its log has nothing: no younger entry stands before those of 2020.
    const { id: accountId } = yield* Stored.account()

    const plant = Effect.gen(function* () {
      const entries = Array.from({ length: perRound }, (_, at) =>
        Rows.anEntry(accountId, {
          createdAt: DateTime.makeUnsafe(Date.UTC(2020, 0, 1) + (planted.length + at) * 50)
        })
      )
      yield* audit.append(entries)
      planted.push(...entries.map(({ id }) => id))
    })

    /** Each text is in the database, or in a file that is recorded and whole; gives back how many are left. */
    const standing = Effect.fnUntraced(function* (place: string) {
      const rows = yield* sql<{ readonly id: string }>`select id from audit_entry`
      const kept = new Set(rows.map(({ id }) => id))
      const written = new Set<string>()
      for (const { end, file, first, sha256 } of yield* audit.archives(accountId)) {
        const isDropping = planted.slice(first, end).some((id) => !kept.has(id))
        const content = readFileSync(join(files, file))
        const isWhole = createHash("sha256").update(content).digest("hex") === sha256
        assert.isTrue(isWhole || !isDropping, `${place}: ${file} is not whole`)
        const ids = content.toString("utf8").match(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu)
        for (const id of isWhole ? (ids ?? []) : []) written.add(id)
      }
      const lost = planted.filter((id) => !kept.has(id) && !written.has(id))
      assert.deepStrictEqual(lost, [], place)
      return planted.filter((id) => kept.has(id)).length
    })

    const places: Array<string> = []
    for (let at = 1 + lane; at <= mostSteps; at += lanes) {
      yield* plant
      const dying = { DIE_AT: String(at), DIE_IN: files }
      const { end, said } = yield* run(program, words, { ...environment, ...dying })
      const place = said.trim().split("\n").at(-1) ?? ""
      const left = yield* standing(place)
      if (end === 0) {
        assert.strictEqual(left, 0, place)
        break
      }
      assert.strictEqual(end, "SIGKILL", said)
      places.push(place.replace(/^died before step \d+, /u, ""))
      const again = yield* ran(words, environment)
      assert.strictEqual(again.exitCode, 0, `${place}: ${again.stderr}`)
      assert.strictEqual(yield* standing(place), 0, place)
    }
    const { verifierKey } = yield* checkpointOf(accountId)
    const all = readdirSync(files)
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(files, name))
    const verified = yield* ran(["audit", "verify", ...all, "--key", verifierKey], {})
    assert.strictEqual(verified.exitCode, 0, verified.stderr)
    assert.include(verified.stdout, `All ${planted.length} entries`)
    return places
  }).pipe(Effect.provide(checkpointSigner), Effect.provide(office(Configuration.read(environment))))
})

it.live(
  "is killed between each two steps, and neither loses a text nor drops one whose file is not whole",
  () =>
    Effect.gen(function* () {
      const program = yield* Effect.acquireRelease(
        Effect.promise(() => Child.bundle("apps/cli/main.ts")),
        (bundle) => Effect.sync(bundle.remove)
      )
      const each = Array.from({ length: lanes }, (_, lane) => Effect.scoped(dyingAt(lane, program)))
      const places = (yield* Effect.all(each, { concurrency: "unbounded" })).flat()
      assert.isAbove(places.length, 30)
      assert.isBelow(places.length, mostSteps - lanes)
      for (const name of ["open", "appendFile", "sync", "rename", "rm", "write"]) {
        assert.include(places, name)
      }
    }).pipe(Effect.scoped),
  patience
)
