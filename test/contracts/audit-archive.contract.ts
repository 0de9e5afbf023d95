/** What every audit store must do with texts that are in files: keep those that are in none, and all places and hashes. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Archive } from "../../core/audit/archive.ts"
import { Audit } from "../../core/audit/audit-store.ts"
import type { Entry, Placed } from "../../core/audit/entry.ts"
import * as Leaf from "../../core/audit/entry.ts"
import * as Tree from "../../core/audit/tree.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { sha256 } from "../support/audit-log.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

/** An id as they are made, which begins with its time. */
const idAt = (at: DateTime.Utc): string => {
  const time = DateTime.toEpochMillis(at).toString(16).padStart(12, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${Rows.anId().slice(15)}`
}

/** A log of entries, one a second, all of which have their places. */
const aLog = Effect.fnUntraced(function* (accountId: string, size: number) {
  const audit = yield* Audit
  const entries = Array.from({ length: size }, (_, at): Entry => {
    const createdAt = Rows.at(at)
    return Rows.anEntry(accountId, { id: idAt(createdAt), createdAt })
  })
  const placed = entries.map((entry, sequence): Placed => ({ ...entry, sequence }))
  yield* audit.append(entries)
  const leaves = placed.map((entry) => Leaf.hashOf(sha256, entry))
  const { added } = Tree.grow(sha256, [], leaves)
  const growth = { accountId, placed, added, treeSize: size, line: 1, grewAt: Rows.at(size) }
  yield* (yield* Atomically).run(Effect.andThen(audit.hold(accountId), audit.extend(growth)))
  return { placed, added }
})

const anArchive = (accountId: string, first: number, end: number): Archive => ({
  accountId,
  first,
  end,
  before: Rows.at(end),
  file: `audit-${first}.jsonl`,
  sha256: Rows.aDigest(),
  archivedAt: DateTime.add(Rows.at(end), { days: 90 })
})

const isDefect = <A, E, R>(write: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.exit(write), (exit) => assert.isTrue(Exit.hasDies(exit)))

export const suite = (name: string, stores: Layer.Layer<Audit | Accounts | Atomically>) =>
  layer(stores)(`${name}: archived texts`, (it) => {
    it.effect(
      "an archive goes on where the one before ends, and has no places that the log lacks",
      () =>
        Effect.gen(function* () {
          const { archive, archives } = yield* Audit
          const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
          yield* aLog(mine.id, 10)
          yield* aLog(other.id, 3)
          yield* isDefect(archive(anArchive(mine.id, 1, 4)))
          yield* isDefect(archive(anArchive(mine.id, 0, 0)))
          yield* isDefect(archive(anArchive(mine.id, 0, 11)))
          const first = anArchive(mine.id, 0, 4)
          yield* archive(first)
          for (const [from, end] of [
            [0, 4],
            [3, 6],
            [5, 6],
            [4, 11],
            [4, 4]
          ] as const) {
            yield* isDefect(archive(anArchive(mine.id, from, end)))
          }
          const second = anArchive(mine.id, 4, 10)
          yield* archive(second)
          assert.deepStrictEqual(yield* archives(mine.id), [first, second])
          assert.deepStrictEqual(yield* archives(other.id), [])
          assert.deepStrictEqual(yield* archives("no id at all"), [])
        })
    )

    it.effect(
      "an archive has no text that is younger than it says, and none of the last 90 days",
      () =>
        Effect.gen(function* () {
          const { archive, archives } = yield* Audit
          const { id } = yield* Stored.account()
          yield* aLog(id, 70)
          const whole = anArchive(id, 0, 40)
          const second = { seconds: 1 }
          yield* isDefect(archive({ ...whole, before: DateTime.subtract(whole.before, second) }))
          const young = DateTime.subtract(whole.archivedAt, { milliseconds: 1 })
          yield* isDefect(archive({ ...whole, archivedAt: young }))
          yield* archive(whole)
          yield* isDefect(archive({ ...anArchive(id, 40, 70), before: Rows.at(69) }))
          // Of a row of places that two archives share, the second has only its own.
          const next = anArchive(id, 40, 70)
          yield* archive(next)
          assert.deepStrictEqual(yield* archives(id), [whole, next])
        })
    )

    it.effect("no text goes that is in no archive", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const { placed } = yield* aLog(mine.id, 6)
        yield* aLog(other.id, 6)
        yield* audit.archive(anArchive(other.id, 0, 6))
        yield* isDefect(audit.dropTexts(mine.id, { begin: 0, end: 1 }))
        yield* audit.archive(anArchive(mine.id, 0, 3))
        yield* isDefect(audit.dropTexts(mine.id, { begin: 2, end: 4 }))
        yield* isDefect(audit.dropTexts(mine.id, { begin: 5, end: 6 }))
        assert.deepStrictEqual(yield* audit.inOrder(mine.id, 0, 9), placed)
      })
    )

    it.effect("of a text that is dropped the place and the hashes stay", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const { added, placed } = yield* aLog(mine.id, 40)
        const others = yield* aLog(other.id, 40)
        yield* audit.archive(anArchive(mine.id, 0, 35))
        yield* audit.dropTexts(mine.id, { begin: 0, end: 10 })
        yield* audit.dropTexts(mine.id, { begin: 0, end: 12 })
        assert.deepStrictEqual(yield* audit.inOrder(mine.id, 12, 99), placed.slice(12))
        assert.deepStrictEqual(yield* audit.inOrder(mine.id, 34, 1), placed.slice(34, 35))
        yield* audit.dropTexts(mine.id, { begin: 12, end: 35 })
        yield* audit.dropTexts(mine.id, { begin: 0, end: 35 })
        assert.deepStrictEqual(yield* audit.inOrder(mine.id, 35, 99), placed.slice(35))
        assert.notStrictEqual((yield* audit.inOrder(mine.id, 34, 1))[0]?.sequence, 34)
        const { rows } = yield* audit.list(mine.id, { limit: 99 })
        assert.deepStrictEqual(rows, placed.slice(35).toReversed())
        assert.deepStrictEqual(yield* audit.nodes(mine.id, added), added)
        assert.deepInclude(yield* audit.head(mine.id), { treeSize: 40 })
        const [gone, kept] = [placed[34]?.id ?? "", placed[35]?.id ?? ""]
        assert.isUndefined(yield* audit.find(mine.id, gone))
        assert.strictEqual(yield* audit.placeOf(mine.id, gone), 34)
        assert.strictEqual(yield* audit.placeOf(mine.id, kept), 35)
        for (const id of [others.placed[34]?.id ?? "", Rows.anId(), "no id at all", ""]) {
          assert.isUndefined(yield* audit.placeOf(mine.id, id))
        }
        assert.deepStrictEqual(yield* audit.inOrder(other.id, 0, 99), others.placed)
      })
    )

    it.effect("a log goes on after its texts are dropped", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const { id } = yield* Stored.account()
        yield* aLog(id, 5)
        yield* audit.archive(anArchive(id, 0, 5))
        yield* audit.dropTexts(id, { begin: 0, end: 5 })
        const next = Rows.anEntry(id, { createdAt: Rows.at(9) })
        yield* audit.append([next])
        const placed = { ...next, sequence: 5 }
        const growth = {
          accountId: id,
          placed: [placed],
          added: [{ level: 0, index: 5, hash: Leaf.hashOf(sha256, placed) }],
          treeSize: 6,
          line: 1,
          grewAt: Rows.at(9)
        }
        yield* (yield* Atomically).run(Effect.andThen(audit.hold(id), audit.extend(growth)))
        assert.deepStrictEqual(yield* audit.inOrder(id, 5, 9), [placed])
        const last = { before: Rows.at(10), archivedAt: DateTime.add(Rows.at(10), { days: 90 }) }
        yield* audit.archive({ ...anArchive(id, 5, 6), ...last })
      })
    )
  })
