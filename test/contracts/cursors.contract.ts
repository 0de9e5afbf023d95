/** What every store of chain cursors must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Cursor, Cursors } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Rows from "../support/rows.ts"

const started = Effect.fnUntraced(function* () {
  const cursor = Rows.aCursor()
  assert.isTrue(yield* (yield* Cursors).start(cursor))
  return cursor
})

const tipOf = (cursor: Cursor) => cursor.blocks.at(-1)?.hash ?? "none"

/** The cursor one block on; every call takes another block. */
const onward = (cursor: Cursor): Cursor => ({
  ...cursor,
  blocks: [...cursor.blocks, Rows.aBlock(101)],
  head: 101,
  finalNumber: 91,
  finalTime: Rows.at(91.5)
})

export const suite = (name: string, stores: Layer.Layer<Cursors | Atomically>) =>
  layer(stores)(`${name}: cursors`, (it) => {
    it.effect("a started cursor is read back as it was, alone and among all", () =>
      Effect.gen(function* () {
        const cursors = yield* Cursors
        const cursor = yield* started()
        assert.deepStrictEqual(yield* cursors.find(cursor.chainId), cursor)
        const all = yield* cursors.all
        assert.deepStrictEqual(
          all.filter(({ chainId }) => chainId === cursor.chainId),
          [cursor]
        )
        assert.isUndefined(yield* cursors.find(Rows.aChainId()))
      })
    )

    it.effect("a chain's watcher is started once, however many replicas try", () =>
      Effect.gen(function* () {
        const cursors = yield* Cursors
        const chainId = Rows.aChainId()
        const tries = Array.from({ length: 8 }, () => Rows.aCursor({ chainId }))
        const won = yield* Effect.forEach(tries, cursors.start, { concurrency: "unbounded" })
        assert.strictEqual(won.filter((first) => first).length, 1)
        assert.deepStrictEqual(yield* cursors.find(chainId), tries[won.indexOf(true)])
      })
    )

    it.effect("a cursor moves on from its tip, and from nowhere else", () =>
      Effect.gen(function* () {
        const cursors = yield* Cursors
        const cursor = yield* started()
        const next = onward(cursor)
        assert.isFalse(yield* cursors.move(Rows.aTxHash(), next))
        assert.deepStrictEqual(yield* cursors.find(cursor.chainId), cursor)
        assert.isTrue(yield* cursors.move(tipOf(cursor), next))
        assert.isFalse(yield* cursors.move(tipOf(cursor), onward(cursor)))
        assert.deepStrictEqual(yield* cursors.find(cursor.chainId), next)
        assert.isFalse(yield* cursors.move(tipOf(cursor), Rows.aCursor()))
      })
    )

    it.effect("of many moves from one tip, one wins, and the others change nothing", () =>
      Effect.gen(function* () {
        const cursors = yield* Cursors
        const atomically = yield* Atomically
        const cursor = yield* started()
        const moves = Array.from({ length: 8 }, () => onward(cursor))
        const won = yield* Effect.forEach(
          moves,
          (to) =>
            atomically.run(Effect.tap(cursors.move(tipOf(cursor), to), () => Effect.yieldNow)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(won.filter((first) => first).length, 1)
        assert.deepStrictEqual(yield* cursors.find(cursor.chainId), moves[won.indexOf(true)])
      })
    )

    it.effect("a move that is rolled back leaves the place to the next", () =>
      Effect.gen(function* () {
        const cursors = yield* Cursors
        const { run } = yield* Atomically
        const cursor = yield* started()
        const lost = cursors.move(tipOf(cursor), onward(cursor))
        yield* Effect.exit(run(Effect.andThen(lost, Effect.fail("no"))))
        assert.deepStrictEqual(yield* cursors.find(cursor.chainId), cursor)
        assert.isTrue(yield* run(cursors.move(tipOf(cursor), onward(cursor))))
      })
    )
  })
