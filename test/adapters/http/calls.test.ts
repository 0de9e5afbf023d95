/** What a call of the catalogue keeps although no router carries it: HEAD, expectations, unread bodies, spans. */
import { once } from "node:events"
import { request } from "node:http"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer, Option, Tracer } from "effect"
import * as Spans from "../../../core/operation/spans.ts"
import * as SlowClients from "../../support/slow-clients.ts"
import { everyScope, issued } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched, Origin, withKey } from "../../support/surfaces.ts"

const wallets = "/api/v1/wallets"

/** Before a connection that is kept alive would be closed anyhow. */
const promptMs = 3_000

layer(Surfaces.layer())("a call of the catalogue", (it) => {
  it.effect("has by HEAD the headers of GET and no body", () =>
    Effect.gen(function* () {
      const whole = yield* withKey(wallets)
      const head = yield* withKey(wallets, { method: "HEAD" })
      assert.strictEqual(head.status, 200)
      assert.strictEqual(head.text, "")
      for (const name of ["content-type", "content-length", "cache-control"]) {
        assert.strictEqual(head.headers.get(name), whole.headers.get(name))
      }
    })
  )

  it.effect("tells whoever asks first that its body is welcome", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const origin = yield* Origin
      const status = yield* Effect.promise(async () => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })
        const asking = request(`${origin}/api/mcp`, {
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            "content-length": body.length,
            expect: "100-continue"
          }
        })
        asking.flushHeaders()
        await once(asking, "continue")
        asking.end(body)
        const [answer] = await once(asking, "response")
        answer.resume()
        return answer.statusCode
      })
      assert.strictEqual(status, 200)
    })
  )

  it.effect("is refused before its body has come, and is not listened to for ever", () =>
    Effect.gen(function* () {
      const port = Number(new URL(yield* Origin).port)
      const client = SlowClients.open(
        { port },
        "POST /api/mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1000000\r\n\r\n"
      )
      client.readOn()
      const hears = (word: string) =>
        Effect.promise(() => SlowClients.eventually(() => client.read().includes(word), 10_000))
      assert.isTrue(yield* hears("UNAUTHENTICATED"))
      client.socket.write("x".repeat(60_000))
      assert.isFalse(client.isClosed())
      client.socket.write("x".repeat(60_000))
      assert.isTrue(yield* Effect.promise(() => SlowClients.eventually(client.isClosed, promptMs)))
    })
  )
})

it.live("a call has a span below its client's, with its status, and its operation's beneath", () =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const traced = Layer.merge(Spans.on, Layer.succeed(Tracer.Tracer, tracer))
    const traceId = "0af7651916cd43dd8448eb211c80319c"
    yield* Effect.gen(function* () {
      const traceparent = `00-${traceId}-b7ad6b7169203331-01`
      yield* withKey(wallets, { headers: { traceparent } })
      yield* fetched(wallets)
    }).pipe(Effect.provide(Surfaces.layer().pipe(Layer.provide(traced))))
    const [read, refused] = spans.filter(({ name }) => name === "http.server GET")
    const parent = read === undefined ? undefined : Option.getOrUndefined(read.parent)
    assert.strictEqual(parent?.traceId, traceId)
    assert.strictEqual(read?.attributes.get("http.response.status_code"), 200)
    assert.strictEqual(refused?.attributes.get("http.response.status_code"), 401)
    const operation = spans.find(({ name }) => name === "list_wallets")
    assert.strictEqual(Option.getOrUndefined(operation?.parent ?? Option.none()), read)
  })
)
