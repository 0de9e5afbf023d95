/**
 * Texts of closed years are moved to a file by a process that may die at any step: none is ever lost, and whoever does it
 * again ends where a process that lived would have.
 */
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer } from "effect"
import { TestClock } from "effect/testing"
import { beginVerifying } from "../../../adapters/secrets/audit-export.ts"
import { archiveAccount } from "../../../apps/cli/operator/archive-account.ts"
import { endOf, openDays } from "../../../core/audit/archive.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { checkpointOf } from "../../../core/audit/checkpoint.ts"
import { type Facts, Scope } from "../../../core/operation/caller.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { around } from "../../support/port-wrapper.ts"
import { makeDeath } from "../../support/process-death.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const directory = temporaryFolder("bursar-archive-")

/** The clock, once a time has been over for so long that what was made before it may go. */
const isLongAgo = (before: DateTime.Utc) =>
  TestClock.setTime(DateTime.toEpochMillis(DateTime.add(before, { days: openDays })))

/** A log of two parts; what was made before the time is to go. */
const aLog = Effect.fnUntraced(function* (early: number, late: number) {
  const { id: accountId } = yield* Stored.account()
  const entries = Array.from({ length: early + late }, (_, at) =>
    Rows.anEntry(accountId, { createdAt: Rows.at(at < early ? at : at + 1000) })
  )
  yield* (yield* Audit).append(entries)
  const before = Rows.at(early + 500)
  yield* isLongAgo(before)
  return { accountId, entries, before }
})

const callerOf = (accountId: string): Facts => ({
  accountId,
  keyId: Rows.anId(),
  kind: "developer",
  scopes: new Set(Scope.literals)
})

const textsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n").slice(0, -1))

it.layer(memoryTreasury)("an account's log", (it) => {
  it.effect("is archived to its last text before a time, and says of each place where it is", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      const { accountId, before, entries } = yield* aLog(601, 4)
      const call = callsOf(callerOf(accountId))
      const earlier = yield* checkpointOf(accountId)
      const gone = entries[600]?.id ?? ""
      const proof = yield* call.get_audit_proof({ entryId: gone })
      const done = yield* archiveAccount(accountId, folder, before)
      const file = `audit-${accountId}-0-600.jsonl`
      assert.deepStrictEqual(done, { moved: 601, file, unsound: [] })
      assert.deepStrictEqual(readdirSync(folder), [file])
      assert.deepStrictEqual(yield* call.get_audit_proof({ entryId: gone }), {
        ...proof,
        archivedIn: file
      })
      const newest = yield* call.list_audit_log({ limit: 2 })
      assert.isUndefined(newest.archives)
      const { archives, entries: shown } = yield* call.list_audit_log({})
      assert.deepStrictEqual(
        shown.map(({ sequence }) => sequence),
        [604, 603, 602, 601]
      )
      assert.deepStrictEqual(
        archives?.map(({ end, file, first }) => [file, first, end]),
        [[file, 0, 601]]
      )
      const oldest = yield* call.list_audit_log({ order: "oldest", limit: 3 })
      assert.deepStrictEqual(
        oldest.entries.map(({ sequence }) => sequence),
        [601, 602, 603]
      )
      assert.deepStrictEqual(oldest.archives, archives)
      const next = yield* call.list_audit_log({ order: "oldest", cursor: oldest.nextCursor ?? "" })
      assert.deepStrictEqual([next.entries.length, next.archives], [1, undefined])
      assert.deepStrictEqual(yield* checkpointOf(accountId), earlier)
      assert.deepStrictEqual(yield* archiveAccount(accountId, folder, before), {
        moved: 0,
        file: undefined,
        unsound: []
      })
    }).pipe(Effect.scoped)
  )

  it.effect("keeps an entry that stands behind a younger one, and goes on with it later", () =>
    Effect.gen(function* () {
      const folder = yield* directory
      const { accountId, before } = yield* aLog(3, 2)
      yield* checkpointOf(accountId)
      yield* (yield* Audit).append([Rows.anEntry(accountId, { createdAt: Rows.at(1) })])
      assert.strictEqual((yield* archiveAccount(accountId, folder, before)).moved, 3)
      const after = DateTime.add(before, { days: 400 })
      yield* isLongAgo(after)
      assert.deepInclude(yield* archiveAccount(accountId, folder, after), {
        moved: 3,
        file: `audit-${accountId}-3-5.jsonl`
      })
      assert.lengthOf(textsIn(folder), 6)
    }).pipe(Effect.scoped)
  )
})

it.effect("texts stay in the records while the file that was recorded of them is away", () => {
  const { living, names, wrap } = makeDeath()
  const mortal = Layer.merge(memoryTreasury, around(Audit, memoryTreasury, wrap))
  return Effect.gen(function* () {
    const folder = yield* directory
    const whole = yield* aLog(7, 2)
    const work = ({ accountId, before }: typeof whole) => archiveAccount(accountId, folder, before)
    yield* living(-1, "before", work(whole))
    const dropping = [...names].findIndex((name) => name.endsWith(".dropTexts"))
    const log = yield* aLog(7, 2)
    const { accountId } = log
    assert.isTrue(Exit.isFailure(yield* living(dropping, "before", work(log))))
    const path = join(folder, `audit-${accountId}-0-6.jsonl`)
    renameSync(path, `${path}.away`)
    const refused = yield* Effect.flip(work(log))
    assert.include(refused.message, "The database still has its texts")
    const texts = Effect.map(
      (yield* Audit).list(accountId, { limit: 99 }),
      ({ rows }) => rows.length
    )
    assert.strictEqual(yield* texts, 9)
    renameSync(`${path}.away`, path)
    yield* work(log)
    assert.strictEqual(yield* texts, 2)
  }).pipe(Effect.scoped, Effect.provide(mortal))
})

it.effect("two that archive one log at once lose no text", () =>
  Effect.gen(function* () {
    const folder = yield* directory
    const { accountId, before, entries } = yield* aLog(1200, 2)
    const work = Effect.exit(archiveAccount(accountId, folder, before))
    yield* Effect.all([work, work], { concurrency: "unbounded" })
    yield* archiveAccount(accountId, folder, before)
    const audit = yield* Audit
    assert.strictEqual(endOf(yield* audit.archives(accountId)), 1200)
    const written = textsIn(folder)
    assert.isTrue(
      entries.slice(0, 1200).every(({ id }) => written.some((line) => line.includes(id)))
    )
    const { unsound } = yield* archiveAccount(accountId, folder, before)
    assert.deepStrictEqual(unsound, [])
  }).pipe(Effect.scoped, Effect.provide(memoryTreasury))
)

it.effect("a process that dies at any step loses no text, and the next one ends its work", () => {
  const { living, names, wrap } = makeDeath()
  const mortal = Layer.merge(
    memoryTreasury,
    Layer.merge(around(Audit, memoryTreasury, wrap), around(Atomically, memoryTreasury, wrap))
  )
  return Effect.gen(function* () {
    const folder = yield* directory
    const work = ({ accountId, before }: Effect.Success<ReturnType<typeof aLog>>) =>
      archiveAccount(accountId, folder, before)
    assert.isTrue(Exit.isSuccess(yield* living(-1, "before", work(yield* aLog(7, 2)))))
    const steps = [...names]
    for (const wanted of ["archive", "dropTexts", "inOrder", "nodes"]) {
      assert.isTrue(
        steps.some((name) => name.endsWith(`.${wanted}`)),
        wanted
      )
    }
    let deaths = 0
    for (let at = 0; at < 2 * steps.length; at++) {
      const log = yield* aLog(7, 2)
      const { accountId, entries } = log
      const when = at % 2 === 0 ? "before" : "after"
      const place = `${steps[Math.floor(at / 2)]} ${when}`
      if (Exit.isFailure(yield* living(Math.floor(at / 2), when, work(log)))) deaths++
      const audit = yield* Audit
      const { rows } = yield* audit.list(accountId, { limit: 99 })
      const kept = new Set(rows.map(({ id }) => id))
      const archives = yield* audit.archives(accountId)
      // What is not in the records is in a file that is recorded.
      const written = archives.flatMap(({ file }) =>
        readFileSync(join(folder, file), "utf8").split("\n")
      )
      for (const { id } of entries) {
        const isWritten = written.some((line) => line.includes(id))
        assert.isTrue(kept.has(id) || isWritten, `${place}: a text is lost`)
      }
      yield* work(log)
      assert.strictEqual(endOf(yield* audit.archives(accountId)), 7, place)
      assert.lengthOf((yield* audit.list(accountId, { limit: 99 })).rows, 2, place)
      const path = join(folder, `audit-${accountId}-0-6.jsonl`)
      assert.isTrue(existsSync(path), place)
      const lines = readFileSync(path, "utf8").trimEnd().split("\n")
      const { verifierKey } = yield* checkpointOf(accountId)
      const checking = beginVerifying(lines.pop(), verifierKey, [])
      if (!("line" in checking)) return assert.fail(place)
      lines.every(checking.line)
      assert.isTrue(checking.end().report.ok, place)
    }
    assert.strictEqual(deaths, 2 * steps.length)
    assert.deepStrictEqual(
      readdirSync(folder).filter((name) => name.endsWith(".part")),
      []
    )
  }).pipe(Effect.scoped, Effect.provide(mortal))
})
