/** Endpoints, and deliveries waiting for them, written through the records as the service writes them. */
import { DateTime, Effect } from "effect"
import { Atomically } from "../core/ports/atomically.ts"
import { Notifier } from "../core/ports/notifier.ts"
import { Secrets } from "../core/ports/secrets.ts"
import { Deliveries, Events } from "../core/webhooks/delivery-store.ts"
import { type Endpoint, secretPlace } from "../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../core/webhooks/endpoint-store.ts"
import * as Rows from "../test/support/rows.ts"
import * as Stored from "../test/support/stored-rows.ts"

export const secret = "whsec_bench"

/** As long as the body of a paid request. */
const padding = "x".repeat(900)

export const bodyOf = (id: string) => JSON.stringify({ id, data: { object: { padding } } })

export const endpoint = Effect.fnUntraced(function* (accountId: string, url: string) {
  const row = Rows.anEndpoint(accountId, { url })
  const sealedSecret = yield* (yield* Secrets).seal(secretPlace(row), secret)
  const sealed: Endpoint = { ...row, sealedSecret }
  yield* (yield* WebhookEndpoints).register(sealed)
  return sealed
})

/** New endpoints of a new account, one for each address. */
export const endpoints = Effect.fnUntraced(function* (urls: ReadonlyArray<string>) {
  const account = yield* Stored.account()
  return yield* Effect.forEach(urls, (url) => endpoint(account.id, url))
})

/** What has to be known of an endpoint to tell it of something. */
export type Receiver = Pick<Endpoint, "id" | "accountId" | "url">

/** Writes one event and its delivery in a transaction, and wakes the workers after it. */
export const enqueue = Effect.fnUntraced(function* (to: Receiver) {
  const id = Rows.anEventId()
  const now = yield* DateTime.now
  const event = Rows.anEvent(to.accountId, { id, body: bodyOf(id), createdAt: now })
  const delivery = Rows.aDelivery(event, to, { nextAttemptAt: now, createdAt: now })
  const atomically = yield* Atomically
  yield* atomically.run(
    Effect.gen(function* () {
      yield* (yield* Events).append([event])
      yield* (yield* Deliveries).enqueue([delivery])
      yield* atomically.afterCommit((yield* Notifier).signal("deliveries"))
    })
  )
  return id
})
