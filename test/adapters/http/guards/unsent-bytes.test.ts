/** What waits to be read is bounded, and past the bound new work is refused: one guard, the others switched off. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { share } from "../../../../adapters/http/guards/lines.ts"
import { served } from "../../../support/guarded-server.ts"
import * as SlowClients from "../../../support/slow-clients.ts"

const mebibyte = 1024 * 1024
const large = new Uint8Array(16 * mebibyte)
const shared = share(new Uint8Array(16 * mebibyte))

let worked = 0

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/large", Effect.succeed(HttpServerResponse.uint8Array(large))),
  HttpRouter.add("GET", "/shared", Effect.succeed(HttpServerResponse.uint8Array(shared))),
  HttpRouter.add(
    "GET",
    "/work",
    Effect.sync(() => {
      worked += 1
      return HttpServerResponse.text("worked")
    })
  ),
  HttpRouter.add("GET", "/health/live", Effect.succeed(HttpServerResponse.text("live")))
)

const bounds = {
  maxBytes: 30 * mebibyte,
  maxBytesPerConnection: 8 * mebibyte
}

const ask = async ({ port }: SlowClients.Place, path = "/work") => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`)
  return { answer, text: await answer.text() }
}

/** Clients of an answer that has begun, and of which they read nothing more. */
const waiting = async (place: SlowClients.Place, path: string, count: number) => {
  const clients = Array.from({ length: count }, () =>
    SlowClients.open(place, SlowClients.request(path))
  )
  for (const client of clients) {
    assert.isTrue(await SlowClients.eventually(() => client.take(1) > 0, 5_000))
  }
  return clients
}

const tried = (body: (place: SlowClients.Place) => Promise<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const port = yield* served(routes, { unsentBytes: bounds })
      yield* Effect.promise(() => body({ port }))
    })
  )

it.live(
  "past the bound of all, new work is refused undone, and done again once there is room",
  () =>
    tried(async (place) => {
      assert.strictEqual((await ask(place)).text, "worked")
      const clients = await waiting(place, "/large", 4)
      const before = worked
      const { answer, text } = await ask(place)
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers.get("retry-after"), "5")
      assert.strictEqual(answer.headers.get("connection"), "close")
      const { error } = JSON.parse(text)
      assert.strictEqual(error.code, "OVERLOADED")
      assert.strictEqual(error.outcome, "not_executed")
      assert.isTrue(error.retryable)
      assert.strictEqual(worked, before)
      assert.strictEqual((await ask(place, "/health/live")).answer.status, 200)
      for (const client of clients) client.close()
      // The server hears of it a little later.
      while ((await ask(place)).text !== "worked");
    })
)

it.live("bytes that all answers share take no room", () =>
  tried(async (place) => {
    const clients = await waiting(place, "/shared", 8)
    assert.strictEqual((await ask(place)).text, "worked")
    for (const client of clients) client.close()
  })
)

it.live("who sends ahead while its answers wait is refused there, and nobody else is", () =>
  tried(async (place) => {
    const [client] = await waiting(place, "/large", 1)
    const before = worked
    client?.socket.write(SlowClients.request("/work"))
    assert.strictEqual((await ask(place)).text, "worked")
    client?.readOn()
    await client?.closed
    assert.include(client?.read(), '"code":"OVERLOADED"')
    assert.strictEqual(worked, before + 1)
  })
)
