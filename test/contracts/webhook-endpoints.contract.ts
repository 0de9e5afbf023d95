/** What every book of webhook endpoints must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/ports/accounts.ts"
import { WebhookEndpoints } from "../../core/ports/webhook-endpoints.ts"
import * as Paging from "../support/paging.ts"
import * as Plant from "../support/planting.ts"
import * as Rows from "../support/rows.ts"

export const suite = (name: string, books: Layer.Layer<WebhookEndpoints | Accounts>) =>
  layer(books)(`${name}: webhook endpoints`, (it) => {
    it.effect("an endpoint is read back as it was, by its account only", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const [mine, other] = [yield* Plant.account(), yield* Plant.account()]
        const endpoint = yield* Plant.endpoint(mine.id, { description: "till ✓", maxAttempts: 3 })
        assert.deepStrictEqual(yield* endpoints.find(mine.id, endpoint.id), endpoint)
        assert.isUndefined(yield* endpoints.find(other.id, endpoint.id))
        assert.deepStrictEqual(yield* endpoints.list(other.id, { limit: 5 }), { rows: [] })
        assert.strictEqual(yield* endpoints.count(other.id), 0)
      })
    )

    it.effect("endpoints are listed newest first in a stable order", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const account = yield* Plant.account()
        const rows = yield* Effect.forEach([2, 1, 2, 2, 3], (n) =>
          Plant.endpoint(account.id, { createdAt: Rows.at(n) })
        )
        const read = yield* Paging.readAll(2, (request) => endpoints.list(account.id, request))
        assert.deepStrictEqual(Paging.ids(read), Paging.newestFirst(rows))
        assert.strictEqual(yield* endpoints.count(account.id), 5)
      })
    )

    it.effect("a revised endpoint is written back whole", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const account = yield* Plant.account()
        const endpoint = yield* Plant.endpoint(account.id)
        const revised = {
          ...endpoint,
          url: "https://merchant.example/other",
          events: ["payment_request.expired"] as const,
          description: "moved",
          status: "disabled" as const,
          maxAttempts: 1,
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
          const [mine, other] = [yield* Plant.account(), yield* Plant.account()]
          const events = ["payment_request.paid"] as const
          const active = yield* Plant.endpoint(mine.id, { events })
          const disabled = yield* Plant.endpoint(mine.id, { events, status: "disabled" })
          yield* Plant.endpoint(mine.id, { events: ["payment_request.expired"] })
          yield* Plant.endpoint(other.id, { events })
          const wanting = yield* endpoints.subscribed(mine.id, "payment_request.paid")
          assert.deepStrictEqual(Paging.sorted(wanting), Paging.sorted([active, disabled]))
          assert.deepStrictEqual(
            yield* endpoints.subscribed(mine.id, "payment_request.created"),
            []
          )
        })
    )

    it.effect("a removed endpoint is off every list, and is removed once by its account", () =>
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const [mine, other] = [yield* Plant.account(), yield* Plant.account()]
        const kept = yield* Plant.endpoint(mine.id)
        const gone = yield* Plant.endpoint(mine.id)
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
