/** Who does not read is cut, and nobody else is: one guard, the others switched off. */
import type { AddressInfo } from "node:net"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as Guards from "../../../../adapters/http/guards/guards.ts"
import { off, served } from "../../../support/guarded-server.ts"
import * as SlowClients from "../../../support/slow-clients.ts"

const mebibyte = 1024 * 1024

/** More than any system takes off a process's hands. */
const large = new Uint8Array(24 * mebibyte)

const routes = Layer.mergeAll(
  HttpRouter.add("GET", "/large", Effect.succeed(HttpServerResponse.uint8Array(large))),
  HttpRouter.add("GET", "/small", Effect.succeed(HttpServerResponse.text("small"))),
  HttpRouter.add(
    "GET",
    "/later",
    Effect.delay(Effect.succeed(HttpServerResponse.text("at last")), Duration.millis(1500))
  ),
  HttpRouter.add(
    "GET",
    "/stream",
    Effect.succeed(
      HttpServerResponse.stream(
        Stream.encodeText(Stream.tick(Duration.millis(100)).pipe(Stream.map(() => "beat\n")))
      )
    )
  )
)

const patience = {
  stalledMs: 600,
  pressedMs: 600,
  minBytesPerSecond: 1024,
  answerMs: 60_000,
  streamMs: 60_000
}

const tried = (guards: Guards.Options, body: (place: SlowClients.Place) => Promise<void>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const port = yield* served(routes, guards)
      yield* Effect.promise(() => body({ port }))
    })
  )

/** A server whose doorkeeper gives the answer itself, as that of the catalogue does. */
const answeredAtTheDoor = (slowReaders: Guards.Options["slowReaders"]) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const options = { ...off, ...(slowReaders === undefined ? {} : { slowReaders }) }
      const { intake, server } = Guards.guarded({}, options, () => performance.now())
      intake.appoint((_request, answer) => void answer.writeHead(200).end(large))
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

const isCut = (client: SlowClients.SlowClient, withinMs: number) => {
  // A client that reads nothing is not told; what is lost to it shows once it reads.
  return setTimeout(withinMs).then(async () => {
    client.readOn()
    await client.closed
    return client.read().length < large.byteLength
  })
}

/** At this pace all of it takes 19 s. */
const readsTooLong = async (place: SlowClients.Place) => {
  const client = SlowClients.open(place, SlowClients.request("/large", { connection: "close" }))
  const endsAt = performance.now() + 10_000
  while (performance.now() < endsAt && !client.isClosed()) {
    client.take(64 * 1024)
    // The pace itself is what is tried.
    await setTimeout(50)
  }
  assert.isTrue(await isCut(client, 0))
}

// Each has a server of its own, and waits for it most of its time.
describe.concurrent("the guard against slow readers", () => {
  it.live("an answer nobody reads is cut", () =>
    tried({ slowReaders: patience }, async (place) => {
      assert.isTrue(await isCut(SlowClients.open(place, SlowClients.request("/large")), 2_000))
    })
  )

  it.live("without the guard it stays, and is whole for whoever reads it in the end", () =>
    tried({}, async (place) => {
      const client = SlowClients.open(place, SlowClients.request("/large", { connection: "close" }))
      assert.isFalse(await isCut(client, 2_000))
    })
  )

  it.live("who reads a large answer slowly but steadily has all of it", () =>
    tried({ slowReaders: { ...patience, stalledMs: 1_500, pressedMs: 1_500 } }, async (place) => {
      const client = SlowClients.open(place, SlowClients.request("/large", { connection: "close" }))
      const startedAt = performance.now()
      client.readOn()
      client.socket.on("data", () => {
        // Ten megabytes a second: all of it takes longer than a client may stand still.
        const early = client.read().length / 10_000 - (performance.now() - startedAt)
        if (early < 20) return
        client.socket.pause()
        setTimeout(early).then(() => client.socket.resume())
      })
      await client.closed
      assert.isAbove(performance.now() - startedAt, 2_000)
      assert.isAtLeast(client.read().length, large.byteLength)
    })
  )

  it.live("who reads a few bytes now and then is cut as well", () =>
    tried({ slowReaders: patience }, async (place) => {
      const client = SlowClients.open(place, SlowClients.request("/large"))
      for (let time = 0; time < 10; time++) {
        client.take(1)
        await setTimeout(200)
      }
      assert.isTrue(await isCut(client, 0))
    })
  )

  it.live("an answer that is read all the time, and too long in all, is cut", () =>
    tried({ slowReaders: { ...patience, stalledMs: 6_000, answerMs: 1_000 } }, readsTooLong)
  )

  it.live("so is one that the doorkeeper gives, and no router hears of", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const limits = { ...patience, stalledMs: 6_000, answerMs: 1_000 }
        const server = yield* answeredAtTheDoor(limits)
        const { port } = server.address() as AddressInfo
        yield* Effect.promise(() => readsTooLong({ port }))
      })
    )
  )

  it.live("time before an answer begins, and silence between requests, are nobody's fault", () =>
    tried({ slowReaders: { ...patience, answerMs: 600 } }, async (place) => {
      const client = SlowClients.open(place, SlowClients.request("/later"))
      client.readOn()
      assert.isTrue(await SlowClients.eventually(() => client.read().includes("at last"), 4_000))
      // Silence for longer than an answer may take.
      await setTimeout(1_500)
      assert.isFalse(client.isClosed())
      client.socket.write(SlowClients.request("/small"))
      assert.isTrue(await SlowClients.eventually(() => client.read().includes("small"), 2_000))
      client.close()
    })
  )

  it.live("a stream outlasts an answer's time, and is cut after its own", () =>
    tried({ slowReaders: { ...patience, answerMs: 300, streamMs: 1_500 } }, async (place) => {
      const client = SlowClients.open(place, SlowClients.request("/stream"))
      client.readOn()
      // Longer than an answer may take, and shorter than a stream may.
      await setTimeout(1_000)
      assert.isFalse(client.isClosed())
      assert.isTrue(await SlowClients.eventually(client.isClosed, 3_000))
    })
  )
})
