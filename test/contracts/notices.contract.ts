/** What every store of notices must do: write one for one thing, let one of many tell it, and give out digests once. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Notice } from "../../core/notices/notice.ts"
import { Notices } from "../../core/notices/notice-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const aNotice = (accountId: string, over: Partial<Notice> = {}): Notice => ({
  id: Rows.anId(),
  accountId,
  type: "send_failed",
  subject: Rows.anId(),
  role: "approver",
  summary: "Send 5 USDC to Ada ✓",
  path: "/console/proposals/1",
  createdAt: Rows.at(1.5),
  toldAt: null,
  digestAt: null,
  ...over
})

export const suite = (name: string, stores: Layer.Layer<Notices | Accounts | Atomically>) =>
  layer(stores)(`${name}: notices`, (it) => {
    it.effect("of sixty-four who find one thing, one writes its notice", () =>
      Effect.gen(function* () {
        const notices = yield* Notices
        const { run } = yield* Atomically
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const subject = Rows.anId()
        const writes = Array.from({ length: 64 }, () =>
          run(notices.write(aNotice(mine.id, { subject })))
        )
        const written = yield* Effect.all(writes, { concurrency: "unbounded" })
        assert.lengthOf(
          written.filter((was) => was),
          1
        )
        assert.isTrue(yield* notices.write(aNotice(mine.id, { subject, type: "trade_stuck" })))
        assert.isTrue(yield* notices.write(aNotice(other.id, { subject })))
      })
    )

    it.effect("of sixty-four who tell it, one is given it, and again after a rollback", () =>
      Effect.gen(function* () {
        const notices = yield* Notices
        const { run } = yield* Atomically
        const { id } = yield* Stored.account()
        const notice = aNotice(id)
        yield* notices.write(notice)
        const telling = notices.tell(notice.id, Rows.at(3))
        yield* Effect.exit(run(Effect.andThen(telling, Effect.fail("rolled back"))))
        const all = Array.from({ length: 64 }, () => run(telling))
        const told = (yield* Effect.all(all, { concurrency: "unbounded" })).filter(
          (each) => each !== undefined
        )
        assert.deepStrictEqual(told, [{ ...notice, toldAt: Rows.at(3) }])
        assert.isUndefined(yield* notices.tell("not-an-id", Rows.at(3)))
      })
    )

    it.effect("counts what was told of one account and type since an instant", () =>
      Effect.gen(function* () {
        const notices = yield* Notices
        const { id } = yield* Stored.account()
        const other = yield* Stored.account()
        for (const [seconds, over] of [
          [2, {}],
          [3, {}],
          [4, {}],
          [4, { type: "trade_stuck" }],
          [4, { accountId: other.id }],
          [null, {}]
        ] as const) {
          const notice = aNotice(id, over)
          yield* notices.write(notice)
          if (seconds !== null) yield* notices.tell(notice.id, Rows.at(seconds))
        }
        assert.strictEqual(yield* notices.countTold(id, "send_failed", Rows.at(3)), 2)
      })
    )

    it.effect("a digest is taken once when it is due, the oldest first", () =>
      Effect.gen(function* () {
        const notices = yield* Notices
        const { run } = yield* Atomically
        const { id } = yield* Stored.account()
        const rows = [1, 2, 3].map((seconds) => aNotice(id, { createdAt: Rows.at(seconds) }))
        yield* Effect.forEach(rows, notices.write)
        const [first, second, later] = rows as [Notice, Notice, Notice]
        for (const each of rows) yield* notices.tell(each.id, Rows.at(5))
        yield* notices.defer(second.id, Rows.at(-900))
        yield* notices.defer(first.id, Rows.at(-900))
        yield* notices.defer(later.id, Rows.at(-700))
        const takes = Array.from({ length: 8 }, () => run(notices.takeDigest(Rows.at(-800), 10)))
        const taken = yield* Effect.all(takes, { concurrency: "unbounded" })
        const own = taken.flat().filter(({ accountId }) => accountId === id)
        assert.sameMembers(
          own.map((each) => each.id),
          [first.id, second.id]
        )
        const [rest] = yield* notices.takeDigest(Rows.at(-700), 1)
        assert.deepStrictEqual(rest, { ...later, toldAt: Rows.at(5), digestAt: null })
      })
    )

    it.effect("what was told and is old is forgotten, and found again it is new", () =>
      Effect.gen(function* () {
        const notices = yield* Notices
        const { id } = yield* Stored.account()
        const [told, untold, waiting] = [0, 1, 2].map(() =>
          aNotice(id, { createdAt: Rows.at(-9000) })
        ) as [Notice, Notice, Notice]
        yield* Effect.forEach([told, untold, waiting], notices.write)
        yield* notices.tell(told.id, Rows.at(1))
        yield* notices.tell(waiting.id, Rows.at(1))
        yield* notices.defer(waiting.id, Rows.at(1e6))
        yield* notices.forget(Rows.at(-8999), 100)
        const again = (notice: Notice) => notices.write({ ...notice, id: Rows.anId() })
        assert.isTrue(yield* again(told))
        assert.isFalse(yield* again(untold))
        assert.isFalse(yield* again(waiting))
      })
    )
  })
