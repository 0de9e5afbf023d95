/** No client takes every place: one guard, the others switched off. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import type * as Guards from "../../../../adapters/http/guards/guards.ts"
import { served } from "../../../support/guarded-server.ts"
import * as SlowClients from "../../../support/slow-clients.ts"

const routes = HttpRouter.add("GET", "/", Effect.succeed(HttpServerResponse.text("served")))

const answers = async (place: SlowClients.Place) => {
  const client = SlowClients.open(place, SlowClients.request("/"))
  client.readOn()
  const isServed = await SlowClients.eventually(
    () => client.read() !== "" || client.isClosed(),
    3_000
  )
  return { client, isServed: isServed && client.read().includes("served") }
}

const tried = (guards: Guards.Options, body: (port: number) => Promise<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const port = yield* served(routes, guards)
      yield* Effect.promise(() => body(port))
    })
  )

it.live("one connection more than a client may have is closed, and others have theirs", () =>
  tried({ connections: { maxPerClient: 3 } }, async (port) => {
    const from = "127.0.1.1"
    const held = [await answers({ port, from }), await answers({ port, from })]
    held.push(await answers({ port, from }))
    assert.isTrue(held.every(({ isServed }) => isServed))
    assert.isFalse((await answers({ port, from })).isServed)
    const other = await answers({ port, from: "127.0.1.2" })
    assert.isTrue(other.isServed)
    held[0]?.client.close()
    // The server hears of it a little later.
    let again = await answers({ port, from })
    while (!again.isServed) again = await answers({ port, from })
    for (const { client } of [...held, other, again]) client.close()
  })
)

it.live("without the guard one client has as many as it likes", () =>
  tried({}, async (port) => {
    const all = await Promise.all(Array.from({ length: 300 }, () => answers({ port })))
    assert.isTrue(all.every(({ isServed }) => isServed))
    for (const { client } of all) client.close()
  })
)

it.live("when all places are taken, those who are only kept alive make room", () =>
  tried({ connections: { max: 8, maxPerClient: undefined } }, async (port) => {
    const kept: Array<Awaited<ReturnType<typeof answers>>> = []
    for (let at = 0; at < 8; at++) kept.push(await answers({ port }))
    assert.isTrue(
      await SlowClients.eventually(
        () => kept.filter(({ client }) => client.isClosed()).length > 0,
        500
      )
    )
    const fresh = await answers({ port })
    assert.isTrue(fresh.isServed)
    for (const { client } of [...kept, fresh]) client.close()
  })
)
