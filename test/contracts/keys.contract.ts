/** What every store of API keys must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { type Accounts, Keys } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const issued = Effect.fnUntraced(function* (accountId: string, over = {}) {
  const key = Rows.aKey(accountId, over)
  const digest = Rows.aDigest()
  yield* (yield* Keys).issue(key, digest)
  return { key, digest }
})

export const suite = (name: string, stores: Layer.Layer<Keys | Accounts | Atomically>) => {
  keySuite(name, stores)
  lineSuite(name, stores)
}

const lineSuite = (name: string, stores: Layer.Layer<Keys | Accounts | Atomically>) =>
  layer(stores)(`${name}: keys that stem from keys`, (it) => {
    const ids = (keys: ReadonlyArray<{ readonly id: string }>) => keys.map(({ id }) => id)

    it.effect("the line of a key goes up to the first, its branch down to the last", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const { run } = yield* Atomically
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const made = Effect.fnUntraced(function* (madeBy: string | null) {
          return (yield* issued(mine.id, { madeBy })).key
        })
        const first = yield* made(null)
        const second = yield* made(first.id)
        const third = yield* made(second.id)
        const sibling = yield* made(first.id)
        const stranger = yield* made(null)
        const line = [first, second, third]
        assert.deepStrictEqual(yield* keys.line(mine.id, third.id), line)
        assert.deepStrictEqual(yield* run(keys.holdLine(mine.id, third.id)), line)
        assert.deepStrictEqual(yield* run(keys.hold(mine.id, third.id)), third)
        assert.deepStrictEqual(yield* keys.line(mine.id, first.id), [first])
        const branch = ids(yield* run(keys.takeBranch(mine.id, first.id)))
        assert.deepStrictEqual(
          [branch[0], branch.at(-1), new Set(branch)],
          [first.id, third.id, new Set(ids([first, second, third, sibling]))]
        )
        assert.deepStrictEqual(ids(yield* run(keys.takeBranch(mine.id, second.id))), [
          second.id,
          third.id
        ])
        assert.deepStrictEqual(yield* run(keys.takeBranch(mine.id, stranger.id)), [stranger])
        for (const unknown of [
          keys.line(other.id, third.id),
          run(keys.holdLine(other.id, third.id)),
          run(keys.takeBranch(other.id, first.id)),
          keys.line(mine.id, "human:nobody")
        ]) {
          assert.deepStrictEqual(yield* unknown, [])
        }
        assert.isUndefined(yield* run(keys.hold(other.id, first.id)))
      })
    )

    it.effect("a revoked key stays in lines and branches, and shows when it ended", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const { run } = yield* Atomically
        const account = yield* Stored.account()
        const { key: maker } = yield* issued(account.id)
        const { key } = yield* issued(account.id, { madeBy: maker.id })
        yield* keys.revoke(account.id, maker.id, Rows.at(7))
        const ended = { ...maker, revokedAt: Rows.at(7) }
        assert.deepStrictEqual(yield* keys.line(account.id, key.id), [ended, key])
        assert.deepStrictEqual(yield* run(keys.takeBranch(account.id, maker.id)), [ended, key])
      })
    )
  })

const keySuite = (name: string, stores: Layer.Layer<Keys | Accounts | Atomically>) =>
  layer(stores)(`${name}: keys`, (it) => {
    it.effect("a key is found by its digest over all accounts, and by its id in its own", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const { key, digest } = yield* issued(mine.id, {
          kind: "agent",
          prefix: "svc_ag_",
          label: null,
          expiresAt: Rows.at(500.123)
        })
        assert.deepStrictEqual(yield* keys.findByDigest(digest), key)
        assert.deepStrictEqual(yield* keys.find(mine.id, key.id), key)
        assert.isUndefined(yield* keys.find(other.id, key.id))
        assert.isUndefined(yield* keys.findByDigest(Rows.aDigest()))
      })
    )

    it.effect("a key keeps its caveats and its maker as they were made", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const account = yield* Stored.account()
        const { key: maker } = yield* issued(account.id, { dailyCapMicro: 2n ** 60n })
        const { key } = yield* issued(account.id, {
          madeBy: maker.id,
          ipRanges: ["10.0.0.0/8", "2001:db8::/32"],
          walletIds: [Rows.anId(), Rows.anId()],
          recipientIds: [Rows.anId()],
          dailyCapMicro: 1n
        })
        yield* keys.noteUse(key.id, Rows.at(10))
        assert.deepStrictEqual(yield* keys.find(account.id, key.id), {
          ...key,
          lastUsedAt: Rows.at(10)
        })
        assert.deepStrictEqual(yield* keys.find(account.id, maker.id), maker)
      })
    )

    it.effect("of many refusals of a key one a minute is noted", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const account = yield* Stored.account()
        const { key } = yield* issued(account.id)
        const refused = (seconds: number) => keys.noteRefusal(key.id, Rows.at(seconds))
        const races = yield* Effect.all([10, 10, 11, 12].map(refused), {
          concurrency: "unbounded"
        })
        assert.strictEqual(races.filter((noted) => noted).length, 1)
        assert.isFalse(yield* refused(69))
        assert.isTrue(yield* refused(72))
        assert.isFalse(yield* keys.noteRefusal(Rows.anId(), Rows.at(10)))
        assert.deepStrictEqual(yield* keys.find(account.id, key.id), key)
      })
    )

    it.effect("keys in force are counted of one account, up to a number", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        for (const over of [{}, {}, { expiresAt: Rows.at(20) }]) yield* issued(mine.id, over)
        const { key: revoked } = yield* issued(mine.id)
        yield* keys.revoke(mine.id, revoked.id, Rows.at(5))
        yield* issued(other.id)
        const countAt = (seconds: number, max = 10) =>
          keys.countInForce(mine.id, Rows.at(seconds), max)
        assert.strictEqual(yield* countAt(19.999), 3)
        assert.strictEqual(yield* countAt(20), 2)
        assert.strictEqual(yield* countAt(20, 1), 1)
        assert.strictEqual(yield* keys.countInForce(Rows.anId(), Rows.at(20), 10), 0)
      })
    )

    it.effect("no two keys share a digest", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const account = yield* Stored.account()
        const { key, digest } = yield* issued(account.id)
        const twin = yield* Effect.exit(keys.issue(Rows.aKey(account.id), digest))
        assert.isTrue(Exit.isFailure(twin))
        assert.deepStrictEqual(yield* keys.findByDigest(digest), key)
      })
    )

    it.effect("an account lists its own keys only, newest first, revoked ones too", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        yield* issued(other.id)
        const rows = yield* Effect.forEach([5, 1, 3, 3, 3, 2, 4], (seconds) =>
          Effect.map(issued(mine.id, { createdAt: Rows.at(seconds) }), ({ key }) => key)
        )
        yield* keys.revoke(mine.id, rows[0]?.id ?? "", Rows.at(10))
        const read = yield* PageWalk.readAll(2, (request) => keys.list(mine.id, request))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
        const period = { limit: 9, since: Rows.at(4), until: Rows.at(5) }
        const during = yield* keys.list(mine.id, period)
        assert.deepStrictEqual(PageWalk.ids(during.rows), PageWalk.idsAt(rows, 6))
      })
    )

    it.effect("a key is revoked once, and only by its account", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const { key, digest } = yield* issued(mine.id)
        assert.isFalse(yield* keys.revoke(other.id, key.id, Rows.at(1)))
        const races = yield* Effect.all(
          [2, 3, 4, 5].map((seconds) => keys.revoke(mine.id, key.id, Rows.at(seconds))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(races.filter((won) => won).length, 1)
        const revokedAt = (yield* keys.findByDigest(digest))?.revokedAt
        assert.isFalse(yield* keys.revoke(mine.id, key.id, Rows.at(9)))
        assert.isNotNull(revokedAt)
        assert.deepStrictEqual((yield* keys.find(mine.id, key.id))?.revokedAt, revokedAt)
      })
    )

    it.effect("the use of a key is noted at most once a minute", () =>
      Effect.gen(function* () {
        const keys = yield* Keys
        const account = yield* Stored.account()
        const { key } = yield* issued(account.id)
        const lastUsedAt = Effect.map(keys.find(account.id, key.id), (found) => found?.lastUsedAt)
        yield* keys.noteUse(key.id, Rows.at(10))
        assert.deepStrictEqual(yield* lastUsedAt, Rows.at(10))
        yield* keys.noteUse(key.id, Rows.at(69))
        assert.deepStrictEqual(yield* lastUsedAt, Rows.at(10))
        yield* keys.noteUse(key.id, Rows.at(71))
        assert.deepStrictEqual(yield* lastUsedAt, Rows.at(71))
      })
    )
  })
