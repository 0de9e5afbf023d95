/** Pictures over real sockets: as the contract says, and from no address that webhooks could not go to. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as RealPictures from "../../../adapters/webhook-sender/pictures.ts"
import { Pictures } from "../../../core/ports/pictures.ts"
import { PictureServer, suite } from "../../contracts/pictures.contract.ts"
import { merchant, open, privateAddress, publicAddress, resolvesTo, trusted } from "./outside.ts"
import * as Sink from "./sink.ts"

const deadlineMs = 1500

const server = Layer.effect(
  PictureServer,
  Effect.gen(function* () {
    const served: Array<{ readonly status: number; readonly bytes: Uint8Array }> = []
    const sink = yield* Sink.open({
      host: "127.0.0.1",
      respond: (response, path) => {
        const { bytes, status } = served[Number(path.slice(1))] ?? { status: 500, bytes: [] }
        // Whoever follows this finds a picture.
        response.setHeader("location", "/0")
        response.writeHead(status).end(Buffer.from(bytes))
      }
    })
    const deserted = yield* Effect.scoped(Sink.open({ host: "127.0.0.1" }))
    return {
      serving: (status: number, bytes: Uint8Array) =>
        Effect.sync(() => `http://127.0.0.1:${sink.port}/${served.push({ status, bytes }) - 1}`),
      deserted: Effect.succeed(`http://127.0.0.1:${deserted.port}/`)
    }
  })
)

suite("undici", Layer.provideMerge(server, RealPictures.layer({ mode: "local", deadlineMs })), {
  excludeTestServices: true
})

const bringing = Effect.fnUntraced(function* (...addresses: ReadonlyArray<string>) {
  const lookup = resolvesTo(...addresses)
  const services = yield* Layer.build(RealPictures.layer({ ...trusted, lookup, deadlineMs }))
  const { fetch } = Context.get(services, Pictures)
  return (url: string) => Effect.result(fetch(url, 1000))
})

it.live("a name that leads to a private address is not asked, also beside a public one", () =>
  Effect.gen(function* () {
    const { canary, sink, url } = yield* open()
    for (const addresses of [[privateAddress], [publicAddress, privateAddress]]) {
      const read = yield* (yield* bringing(...addresses))(url("/logo.png"))
      assert.strictEqual(read._tag, "Failure")
    }
    const read = yield* (yield* bringing(publicAddress))(url("/logo.png"))
    assert.strictEqual(read._tag, "Success")
    assert.deepStrictEqual([canary.received.length, sink.received.length], [0, 1])
    assert.strictEqual(sink.received[0]?.servername, merchant)
  }).pipe(Effect.scoped)
)

it.live("whoever takes a request and says nothing is left at the deadline", () =>
  Effect.gen(function* () {
    const { url } = yield* open(() => undefined)
    const read = yield* (yield* bringing(publicAddress))(url("/logo.png"))
    assert.strictEqual(read._tag === "Failure" && read.failure.message, "it did not answer in time")
  }).pipe(Effect.scoped)
)
