/** Requests of one connection are begun one after the other, as its client takes their answers. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as InOrder from "../../../../adapters/http/guards/in-order.ts"
import { served } from "../../../support/guarded-server.ts"
import * as SlowClients from "../../../support/slow-clients.ts"

const large = new Uint8Array(16 * 1024 * 1024)

const bounds = { maxAhead: 4 }

const tried = (body: (place: SlowClients.Place, worked: () => number) => Promise<void>) => {
  let worked = 0
  let atOnce = 0
  const work = Effect.gen(function* () {
    worked += 1
    atOnce += 1
    assert.strictEqual(atOnce, 1)
    const request = yield* HttpServerRequest.HttpServerRequest
    const text = yield* Effect.orDie(request.text)
    yield* Effect.sleep(5)
    atOnce -= 1
    return HttpServerResponse.text(`worked ${text}.`)
  })
  const routes = Layer.mergeAll(
    HttpRouter.add("GET", "/large", Effect.succeed(HttpServerResponse.uint8Array(large))),
    HttpRouter.add("GET", "/work", work),
    HttpRouter.add("POST", "/work", work)
  )
  return Effect.scoped(
    Effect.gen(function* () {
      const port = yield* served(routes, { inOrder: bounds })
      yield* Effect.promise(() => body({ port }, () => worked))
    })
  )
}

it.live("what is sent ahead is answered in order, one at a time, bodies and all", () =>
  tried(async (place, worked) => {
    const texts = ["one", "two", "three", "four"]
    const client = SlowClients.open(
      place,
      texts.map((text) => SlowClients.request("/work", {}, text)).join("")
    )
    client.readOn()
    assert.isTrue(await SlowClients.eventually(() => client.read().includes("four."), 5_000))
    assert.deepStrictEqual(
      [...client.read().matchAll(/worked (\w+)\./gu)].map(([, text]) => text),
      texts
    )
    client.socket.write(SlowClients.request("/work", {}, "later"))
    assert.isTrue(await SlowClients.eventually(() => client.read().includes("later."), 5_000))
    assert.strictEqual(worked(), texts.length + 1)
    client.close()
  })
)

it.live("nothing is begun behind an answer that its client does not take", () =>
  tried(async (place, worked) => {
    const client = SlowClients.open(
      place,
      SlowClients.request("/large") + SlowClients.request("/work").repeat(3)
    )
    await setTimeout(300)
    assert.strictEqual(worked(), 0)
    client.readOn()
    assert.isTrue(await SlowClients.eventually(() => worked() === 3, 5_000))
    client.close()
  })
)

it.live("who sends many requests at once has as many answers as the bound allows", () =>
  tried(async (place, worked) => {
    const client = SlowClients.open(place, SlowClients.request("/work").repeat(40))
    client.readOn()
    await client.closed
    assert.strictEqual(worked(), bounds.maxAhead + 1)
    assert.strictEqual(client.read().split('"code":"OVERLOADED"').length - 1, 1)
  })
)

it.live("who goes away has nothing more begun", () =>
  tried(async (place, worked) => {
    const client = SlowClients.open(place, SlowClients.request("/work").repeat(4))
    assert.isTrue(await SlowClients.eventually(() => worked() > 0, 5_000))
    client.socket.resetAndDestroy()
    const before = worked()
    await setTimeout(200)
    assert.isAtMost(worked() - before, 1)
  })
)

it("nothing is begun behind an answer that ended its connection", async () => {
  const begun: Array<string | undefined> = []
  const server = createServer()
  InOrder.bound(server, bounds)
  server.on("request", ({ socket, url }, answer) => {
    begun.push(url)
    answer.once("finish", () => socket.end())
    answer.end(url)
  })
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
  const { port } = server.address() as AddressInfo
  const ahead = ["/last", "/late"].map((path) => SlowClients.request(path)).join("")
  const client = SlowClients.open({ port }, ahead)
  client.readOn()
  await client.closed
  server.close()
  assert.include(client.read(), "/last")
  assert.deepStrictEqual(begun, ["/last"])
})
