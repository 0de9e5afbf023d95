/** What every audit store must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Audit, type Filter } from "../../core/audit/audit-store.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (name: string, stores: Layer.Layer<Audit | Accounts>) =>
  layer(stores)(`${name}: audit`, (it) => {
    it.effect("an entry is read back as it was written, by its account only", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const entry = Rows.anEntry(mine.id, {
          facts: {
            label: 'a "quoted" till ✓',
            empty: "",
            // Halves of a pair in the wrong order, and one alone.
            unpaired: "a\ude00\ud83d b\ud83d"
          }
        })
        yield* audit.append([entry])
        assert.deepStrictEqual((yield* audit.list(mine.id, { limit: 5 })).rows, [
          { ...entry, sequence: null }
        ])
        assert.deepStrictEqual(yield* audit.list(other.id, { limit: 5 }), { rows: [] })
      })
    )

    it.effect("the entries of one thing are read alone, newest first, page by page", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const about = (subjectId: string, n: number) =>
          Rows.anEntry(mine.id, { subjectId, createdAt: Rows.at(n) })
        const rows = [1, 2, 2, 3].map((n) => about("thing-1", n))
        yield* audit.append([...rows, about("thing-2", 4), Rows.anEntry(other.id)])
        const filter = { subjectId: "thing-1" }
        const read = yield* PageWalk.readAll(2, (request) => audit.list(mine.id, request, filter))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
        assert.deepStrictEqual(yield* audit.list(other.id, { limit: 5 }, filter), { rows: [] })
      })
    )

    it.effect("the entries by one actor are read alone, newest first, page by page", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const by = (actor: string, n: number, subjectId = "thing-1") =>
          Rows.anEntry(mine.id, {
            actor,
            actorType: actor === "system" ? "treasury" : "key",
            subjectId,
            createdAt: Rows.at(n)
          })
        const till = [1, 2, 2, 3].map((n) => by("till", n))
        const own = [1, 4].map((n) => by("system", n))
        const elsewhere = by("till", 5, "thing-2")
        yield* audit.append([...till, ...own, elsewhere, Rows.anEntry(other.id, { actor: "till" })])
        const read = (filter: Filter) =>
          Effect.map(
            PageWalk.readAll(2, (request) => audit.list(mine.id, request, filter)),
            PageWalk.ids
          )
        const all = PageWalk.newestFirst([...till, elsewhere])
        assert.deepStrictEqual(yield* read({ actor: "till" }), all)
        assert.deepStrictEqual(yield* read({ actor: "system" }), PageWalk.newestFirst(own))
        assert.deepStrictEqual(
          yield* read({ actor: "till", subjectId: "thing-1" }),
          PageWalk.newestFirst(till)
        )
        assert.deepStrictEqual(yield* read({ actor: "nobody" }), [])
      })
    )

    it.effect("entries of one instant keep one order over all pages", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const account = yield* Stored.account()
        const rows = Array.from({ length: 11 }, (_, index) =>
          Rows.anEntry(account.id, { createdAt: Rows.at(index < 8 ? 1 : 2) })
        )
        yield* audit.append(rows)
        const read = yield* PageWalk.readAll(3, (request) => audit.list(account.id, request))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
      })
    )

    it.effect("an entry written while a caller pages is neither skipped over nor shown twice", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const account = yield* Stored.account()
        const rows = [1, 2, 3, 4].map((n) => Rows.anEntry(account.id, { createdAt: Rows.at(n) }))
        yield* audit.append(rows)
        const first = yield* audit.list(account.id, { limit: 2 })
        yield* audit.append([Rows.anEntry(account.id, { createdAt: Rows.at(9) })])
        assert.isDefined(first.next)
        const forged = { createdAt: Rows.at(2), id: "no id at all" }
        const below = yield* audit.list(account.id, { limit: 5, after: forged })
        assert.strictEqual(below.rows.at(-1)?.id, rows[0]?.id)
        const second = yield* audit.list(account.id, {
          limit: 2,
          ...(first.next === undefined ? {} : { after: first.next })
        })
        assert.deepStrictEqual(
          PageWalk.ids([...first.rows, ...second.rows]),
          PageWalk.newestFirst(rows)
        )
        assert.isUndefined(second.next)
      })
    )

    it.effect("a page knows whether more follow", () =>
      Effect.gen(function* () {
        const audit = yield* Audit
        const account = yield* Stored.account()
        const rows = [1, 2, 3].map((n) => Rows.anEntry(account.id, { createdAt: Rows.at(n) }))
        yield* audit.append(rows)
        assert.isUndefined((yield* audit.list(account.id, { limit: 3 })).next)
        const cut = yield* audit.list(account.id, { limit: 2 })
        assert.deepStrictEqual(cut.next?.id, cut.rows[1]?.id)
        assert.deepStrictEqual(cut.next?.createdAt, Rows.at(2))
      })
    )
  })
