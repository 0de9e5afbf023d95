/** What every audit store must do with the places of its entries and the trees over them. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Audit, type Growth } from "../../core/audit/audit-store.ts"
import type { Entry, Placed } from "../../core/audit/entry.ts"
import * as Tree from "../../core/audit/tree.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { sha256 } from "../support/audit-log.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const leaf = (sequence: number) => Tree.leafHash(sha256, `leaf ${sequence}`)

/** The nodes that leaves bring, from one size to another. */
const added = (from: number, to: number) => {
  const leaves = Array.from({ length: to }, (_, at) => leaf(at))
  const before = Tree.grow(sha256, [], leaves.slice(0, from))
  return Tree.grow(sha256, before.peaks, leaves.slice(from)).added
}

const growth = (accountId: string, from: number, entries: ReadonlyArray<Entry>): Growth => ({
  accountId,
  placed: entries.map((entry, at): Placed => ({ ...entry, sequence: from + at })),
  added: added(from, from + entries.length),
  treeSize: from + entries.length,
  line: 1,
  grewAt: Rows.at(100 + from)
})

const appended = Effect.fnUntraced(function* (accountId: string, count: number, second = 0) {
  const entries = Array.from({ length: count }, (_, at) =>
    Rows.anEntry(accountId, { createdAt: Rows.at(second + at) })
  )
  yield* (yield* Audit).append(entries)
  return entries
})

/** As the sequencer does: under the hold of the log. */
const extended = Effect.fnUntraced(function* (step: Growth) {
  const audit = yield* Audit
  yield* (yield* Atomically).run(Effect.andThen(audit.hold(step.accountId), audit.extend(step)))
})

const sequences = Effect.fnUntraced(function* (accountId: string) {
  const { rows } = yield* (yield* Audit).list(accountId, { limit: 50 })
  return rows.map(({ sequence }) => sequence).reverse()
})

export const suite = (name: string, stores: Layer.Layer<Audit | Accounts | Atomically>) =>
  layer(stores)(`${name}: audit trees`, (it) => {
    it.effect("a log begins without a head, its entries without a place, oldest first", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const { id } = yield* Stored.account()
        assert.isUndefined(yield* audit.head(id))
        const late = yield* appended(id, 2, 10)
        const early = yield* appended(id, 2)
        assert.deepStrictEqual(yield* audit.unplaced(id, 9), [...early, ...late])
        assert.deepStrictEqual(yield* audit.unplaced(id, 3), [...early, ...late.slice(0, 1)])
        assert.deepStrictEqual(yield* audit.inOrder(id, 0, 9), [])
        assert.deepStrictEqual(yield* (yield* Atomically).run(audit.hold(id)), {
          head: undefined,
          now: { number: 1, begunAt: null }
        })
        assert.isUndefined(yield* audit.head(id))
      })
    )

    it.effect("places are read back in their order, by their account only", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const entries = yield* appended(mine.id, 7)
        yield* extended(growth(mine.id, 0, entries.slice(0, 3)))
        yield* extended(growth(mine.id, 3, entries.slice(3, 5)))
        const placed = entries.map((entry, sequence): Placed => ({ ...entry, sequence }))
        assert.deepStrictEqual(yield* audit.inOrder(mine.id, 0, 9), placed.slice(0, 5))
        assert.deepStrictEqual(yield* audit.inOrder(mine.id, 2, 2), placed.slice(2, 4))
        assert.deepStrictEqual(yield* audit.unplaced(mine.id, 9), entries.slice(5))
        assert.deepStrictEqual(yield* audit.head(mine.id), {
          treeSize: 5,
          line: 1,
          grewAt: Rows.at(103)
        })
        assert.deepStrictEqual(yield* sequences(mine.id), [0, 1, 2, 3, 4, null, null])
        assert.deepStrictEqual(yield* audit.find(mine.id, entries[4]?.id ?? ""), placed[4])
        const last = { ...(entries[6] as Entry), sequence: null }
        assert.deepStrictEqual(yield* audit.find(mine.id, last.id), last)
        assert.isUndefined(yield* audit.find(other.id, last.id))
        assert.isUndefined(yield* audit.find(mine.id, Rows.anId()))
        assert.isUndefined(yield* audit.find(mine.id, "no id at all"))
        assert.deepStrictEqual(yield* audit.inOrder(other.id, 0, 9), [])
        assert.isUndefined(yield* audit.head(other.id))
      })
    )

    it.effect("nodes are read back as they were written, in the order they are asked for", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const { id } = yield* Stored.account()
        const entries = yield* appended(id, 6)
        yield* extended(growth(id, 0, entries.slice(0, 5)))
        yield* extended(growth(id, 5, entries.slice(5)))
        const all = added(0, 6).toReversed()
        assert.deepStrictEqual(yield* audit.nodes(id, all), all)
        assert.deepStrictEqual(yield* audit.nodes(id, []), [])
        const missing = yield* Effect.exit(audit.nodes(id, [{ level: 3, index: 0 }]))
        assert.isTrue(Exit.isFailure(missing))
        const other = yield* Stored.account()
        assert.isTrue(Exit.isFailure(yield* Effect.exit(audit.nodes(other.id, all))))
      })
    )

    it.effect(
      "nodes of many entries that came together, and of few after them, are read back",
      () =>
        Effect.gen(function* () {
          const audit = yield* Audit
          const { id } = yield* Stored.account()
          const entries = yield* appended(id, 75)
          let from = 0
          for (const to of [1, 2, 40, 41, 75]) {
            yield* extended(growth(id, from, entries.slice(from, to)))
            from = to
          }
          assert.deepStrictEqual(yield* audit.nodes(id, added(0, 75)), added(0, 75))
          for (const node of [
            { level: 0, index: 75 },
            { level: 6, index: 1 },
            { level: 7, index: 0 }
          ]) {
            assert.isTrue(Exit.isFailure(yield* Effect.exit(audit.nodes(id, [node]))))
          }
        })
    )

    it.effect("an account waits while it has an entry without a place", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const { id } = yield* Stored.account()
        const waits = Effect.map(audit.waiting(10_000), (waiting) => waiting.includes(id))
        assert.isFalse(yield* waits)
        const entries = yield* appended(id, 2)
        assert.isTrue(yield* waits)
        yield* extended(growth(id, 0, entries.slice(0, 1)))
        assert.isTrue(yield* waits)
        yield* extended(growth(id, 1, entries.slice(1)))
        assert.isFalse(yield* waits)
        assert.isAtMost((yield* audit.waiting(1)).length, 1)
      })
    )

    it.effect("no place is given that is taken, leaves a gap or belongs to an entry already", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const { id } = yield* Stored.account()
        const entries = yield* appended(id, 4)
        const [first, second, third, fourth] = entries as [Entry, Entry, Entry, Entry]
        yield* extended(growth(id, 0, [first, second]))
        const before = yield* sequences(id)
        const elsewhere = yield* appended((yield* Stored.account()).id, 1)
        for (const step of [
          growth(id, 1, [third]),
          growth(id, 3, [third]),
          growth(id, 2, [first]),
          growth(id, 2, [third, third]),
          growth(id, 2, [third, Rows.anEntry(id)]),
          growth(id, 2, elsewhere),
          { ...growth(id, 2, [third]), treeSize: 4 },
          { ...growth(id, 2, [third, fourth]), placed: growth(id, 3, [third, fourth]).placed }
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(extended(step))))
        }
        assert.deepStrictEqual(yield* sequences(id), before)
        assert.strictEqual((yield* audit.head(id))?.treeSize, 2)
        yield* extended(growth(id, 2, [third, fourth]))
        assert.deepStrictEqual(yield* sequences(id), [0, 1, 2, 3])
      })
    )

    it.effect("a log that is on a later line never goes back to an earlier one", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const { id } = yield* Stored.account()
        const entries = yield* appended(id, 2)
        yield* extended({ ...growth(id, 0, entries.slice(0, 1)), line: 2 })
        const earlier = growth(id, 1, entries.slice(1))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(extended(earlier))))
        assert.deepInclude(yield* audit.head(id), { treeSize: 1, line: 2 })
        yield* extended({ ...earlier, line: 2 })
        assert.deepStrictEqual(yield* sequences(id), [0, 1])
      })
    )

    it.effect("places that are rolled back were never given", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const { id } = yield* Stored.account()
        const entries = yield* appended(id, 2)
        const step = growth(id, 0, entries)
        yield* Effect.exit(
          (yield* Atomically).run(Effect.andThen(extended(step), Effect.die("undone")))
        )
        assert.deepStrictEqual(yield* sequences(id), [null, null])
        assert.isUndefined(yield* audit.head(id))
        yield* extended(step)
        assert.deepStrictEqual(yield* sequences(id), [0, 1])
      })
    )
  })
