/** What every store of webhook endpoints must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (name: string, stores: Layer.Layer<WebhookEndpoints | Accounts>) =>
  layer(stores)(`${name}: webhook endpoints`, (it) => {
    it.effect("an endpoint is read back as it was, by its account only", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const endpoint = yield* Stored.endpoint(mine.id, { description: "till ✓", maxAttempts: 3 })
        assert.deepStrictEqual(yield* endpoints.find(mine.id, endpoint.id), endpoint)
        assert.isUndefined(yield* endpoints.find(other.id, endpoint.id))
        assert.deepStrictEqual(yield* endpoints.list(other.id, { limit: 5 }), { rows: [] })
        assert.strictEqual(yield* endpoints.count(other.id), 0)
      })
    )

    it.effect("endpoints are listed newest first in a stable order", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const account = yield* Stored.account()
        const rows = yield* Effect.forEach([2, 1, 2, 2, 3], (n) =>
          Stored.endpoint(account.id, { createdAt: Rows.at(n) })
        )
        const read = yield* PageWalk.readAll(2, (request) => endpoints.list(account.id, request))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
        assert.strictEqual(yield* endpoints.count(account.id), 5)
      })
    )

    it.effect(
      "those that some keys registered are found, the removed ones aside, newest first",
      () =>
        Effect.gen(function* () {
          const endpoints = yield* WebhookEndpoints
          const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
          const [key, another] = [Rows.anId(), Rows.anId()]
          const by = (accountId: string, registeredBy: string | null, createdAt: number) =>
            Stored.endpoint(accountId, { registeredBy, createdAt: Rows.at(createdAt) })
          const older = yield* by(mine.id, key, 1)
          const newer = yield* by(mine.id, key, 2)
          const removed = yield* by(mine.id, key, 3)
          const theirs = yield* by(mine.id, another, 4)
          yield* by(mine.id, null, 5)
          yield* by(other.id, key, 6)
          yield* endpoints.remove(mine.id, removed.id, Rows.at(9))
          yield* endpoints.revise({ ...newer, description: "revised" })
          const found = (keys: ReadonlyArray<string>) =>
            Effect.map(endpoints.registeredBy(mine.id, keys), PageWalk.ids)
          assert.deepStrictEqual(yield* found([key]), [newer.id, older.id])
          assert.deepStrictEqual(yield* found([key, another]), [theirs.id, newer.id, older.id])
          assert.deepStrictEqual(yield* found([]), [])
        })
    )

    it.effect("a revised endpoint is written back whole", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const account = yield* Stored.account()
        const endpoint = yield* Stored.endpoint(account.id)
        const revised = {
          ...endpoint,
          url: "https://merchant.example/other",
          events: ["payment_request.expired"] as const,
          notices: ["relayer_low"] as const,
          description: "moved",
          maxAttempts: 1,
          standardHeaders: true,
          previousSecret: { sealed: "sealed-before", endsAt: Rows.at(99) },
          disabledAt: Rows.at(8),
          sealedSecret: "sealed-again",
          updatedAt: Rows.at(9)
        }
        yield* endpoints.revise(revised)
        assert.deepStrictEqual(yield* endpoints.find(account.id, endpoint.id), revised)
      })
    )

    it.effect(
      "an event type is wanted by the endpoints that subscribed to it, disabled ones too",
      () =>
        Effect.gen(function* () {
          const endpoints = yield* WebhookEndpoints
          const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
          const events = ["payment_request.paid"] as const
          const active = yield* Stored.endpoint(mine.id, { events })
          const disabled = yield* Stored.endpoint(mine.id, { events, disabledAt: Rows.at(1) })
          yield* Stored.endpoint(mine.id, { events: ["payment_request.expired"] })
          yield* Stored.endpoint(other.id, { events })
          const wanting = yield* endpoints.subscribed(mine.id, "payment_request.paid")
          assert.deepStrictEqual(PageWalk.sorted(wanting), PageWalk.sorted([active, disabled]))
          assert.deepStrictEqual(
            yield* endpoints.subscribed(mine.id, "payment_request.created"),
            []
          )
        })
    )

    it.effect("a notice is wanted by the endpoints that asked for its type", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const asking = yield* Stored.endpoint(mine.id, {
          events: [],
          notices: ["send_failed", "trade_stuck"]
        })
        yield* Stored.endpoint(mine.id, { notices: ["relayer_low"] })
        yield* Stored.endpoint(mine.id)
        yield* Stored.endpoint(other.id, { notices: ["trade_stuck"] })
        assert.deepStrictEqual(yield* endpoints.subscribed(mine.id, "trade_stuck"), [asking])
        assert.deepStrictEqual(yield* endpoints.subscribed(mine.id, "token_changed"), [])
      })
    )

    it.effect("failures are counted from the first on, and forgotten with a success", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const account = yield* Stored.account()
        const endpoint = yield* Stored.endpoint(account.id)
        const other = yield* Stored.endpoint(account.id, { createdAt: Rows.at(1) })
        assert.isFalse(yield* endpoints.noteSuccess(endpoint.id))
        const first = { failures: 1, firstFailedAt: Rows.at(5), failingSince: null }
        assert.deepStrictEqual(yield* endpoints.noteFailure(endpoint.id, Rows.at(5)), first)
        assert.deepStrictEqual(yield* endpoints.noteFailure(endpoint.id, Rows.at(9)), {
          ...first,
          failures: 2
        })
        assert.deepStrictEqual(yield* endpoints.find(account.id, endpoint.id), endpoint)
        yield* endpoints.noteFailing(endpoint.id, Rows.at(9))
        const failing = { ...endpoint, failingSince: Rows.at(9) }
        assert.deepStrictEqual(yield* endpoints.noteFailure(endpoint.id, Rows.at(10)), {
          failures: 3,
          firstFailedAt: Rows.at(5),
          failingSince: Rows.at(9)
        })
        assert.deepStrictEqual(yield* endpoints.find(account.id, endpoint.id), failing)
        const { rows } = yield* endpoints.list(account.id, { limit: 5 })
        assert.deepStrictEqual(rows, [other, failing])
        yield* endpoints.revise({ ...failing, description: "moved" })
        assert.isTrue(yield* endpoints.noteSuccess(endpoint.id))
        assert.isFalse(yield* endpoints.noteSuccess(endpoint.id))
        assert.deepStrictEqual(yield* endpoints.find(account.id, endpoint.id), {
          ...endpoint,
          description: "moved"
        })
        assert.isTrue(
          Exit.isFailure(yield* Effect.exit(endpoints.noteFailing(other.id, Rows.at(1))))
        )
      })
    )

    it.effect("an endpoint is held for its account only", () =>
      Effect.gen(function* () {
        const { hold } = yield* WebhookEndpoints
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const endpoint = yield* Stored.endpoint(mine.id)
        assert.deepStrictEqual(yield* hold(mine.id, endpoint.id), endpoint)
        assert.isUndefined(yield* hold(other.id, endpoint.id))
      })
    )

    it.effect("a secret of before a rotation is erased once its grace is over", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const account = yield* Stored.account()
        const inGrace = (seconds: number) =>
          Stored.endpoint(account.id, {
            previousSecret: { sealed: "sealed-before", endsAt: Rows.at(seconds) }
          })
        const [over, lasting] = [yield* inGrace(10), yield* inGrace(11)]
        yield* endpoints.forgetSecrets(Rows.at(10), 9)
        assert.deepStrictEqual(yield* endpoints.find(account.id, over.id), {
          ...over,
          previousSecret: null
        })
        assert.deepStrictEqual(yield* endpoints.find(account.id, lasting.id), lasting)
      })
    )

    it.effect("a removed endpoint is off every list, and is removed once by its account", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const kept = yield* Stored.endpoint(mine.id)
        const gone = yield* Stored.endpoint(mine.id)
        assert.isFalse(yield* endpoints.remove(other.id, gone.id, Rows.at(1)))
        assert.isTrue(yield* endpoints.remove(mine.id, gone.id, Rows.at(1)))
        assert.isFalse(yield* endpoints.remove(mine.id, gone.id, Rows.at(2)))
        assert.isUndefined(yield* endpoints.find(mine.id, gone.id))
        assert.deepStrictEqual(yield* endpoints.list(mine.id, { limit: 5 }), { rows: [kept] })
        assert.deepStrictEqual(yield* endpoints.subscribed(mine.id, "payment_request.paid"), [kept])
        assert.strictEqual(yield* endpoints.count(mine.id), 1)
      })
    )
  })
