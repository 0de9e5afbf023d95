/** A server that stops goes at once where nothing long is in hand, whoever asks on and whatever connections are open. */
import { Agent, get } from "node:http"
import { connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import * as NodeServer from "../../../adapters/http/node-server.ts"
import { serve } from "../../../adapters/http/server.ts"
import * as Treasury from "../../support/small-treasury.ts"

/** Well under what it may take for what is in flight. */
const mostMs = 1_000

/** A server with these routes; where it is, and how long it takes to stop. */
const served = Effect.fnUntraced(function* (
  routes: Layer.Layer<never, never, HttpRouter.HttpRouter>
) {
  const scope = yield* Scope.make()
  const context = yield* Layer.buildWithScope(
    serve(routes).pipe(
      Layer.provideMerge(NodeServer.layer({ port: 0 })),
      Layer.provide(Treasury.layer())
    ),
    scope
  )
  const { address } = Context.get(context, HttpServer.HttpServer)
  const stop = Effect.gen(function* () {
    const beganMs = performance.now()
    yield* Scope.close(scope, Exit.void)
    return performance.now() - beganMs
  })
  return { origin: NetAddress.formatUrlUnsafe(address), stop }
})

const here = HttpRouter.add("GET", "/", HttpServerResponse.text("here"))

interface Heard {
  readonly connection: string | undefined
  readonly isWhole: boolean
}

/** Asks again as soon as it is answered, over one connection, until it is refused; what each answer was. */
const askWithoutPause = (origin: string, heard: Array<Heard>) =>
  Effect.callback<void>((resume) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = () =>
      get(origin, { agent }, (answer) => {
        answer.resume()
        answer.on("close", () => {
          heard.push({ connection: answer.headers.connection, isWhole: answer.complete })
          ask()
        })
      }).on("error", () => resume(Effect.void))
    ask()
    return Effect.sync(() => agent.destroy())
  })

it.live("a client that asks without pause is told to close, and keeps nobody from stopping", () =>
  Effect.gen(function* () {
    let entered = 0
    const enter = Effect.sync(() => {
      entered += 1
    })
    const slow = Effect.andThen(enter, Effect.sleep(100)).pipe(
      Effect.as(HttpServerResponse.text("here"))
    )
    const { origin, stop } = yield* served(HttpRouter.add("GET", "/", slow))
    const heard: Array<Heard> = []
    const asking = yield* Effect.forkChild(askWithoutPause(origin, heard))
    // One is in hand, and the next will be asked for.
    while (heard.length < 3 || entered === heard.length) yield* Effect.sleep(5)
    assert.isBelow(yield* stop, mostMs)
    yield* Fiber.join(asking)
    assert.isTrue(heard.every(({ isWhole }) => isWhole))
    assert.strictEqual(heard[0]?.connection, "keep-alive")
    assert.strictEqual(heard.at(-1)?.connection, "close")
  })
)

/** A connection that has sent so much and waits; done once it is closed. */
const connected = (origin: string, text: string) =>
  Effect.callback<Fiber.Fiber<void>>((resume) => {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1", () => {
      socket.write(text)
      const closed = Effect.callback<void>((done) => {
        socket.on("error", () => undefined)
        socket.on("close", () => done(Effect.void))
        socket.resume()
      })
      resume(Effect.forkDetach(closed))
    })
  })

it.live("connections on which nothing was asked yet are closed at once", () =>
  Effect.gen(function* () {
    const { origin, stop } = yield* served(here)
    const silent = yield* connected(origin, "")
    const half = yield* connected(origin, "GET / HTTP/1.1\r\nhost: x\r\nx-a: b")
    const idle = yield* connected(origin, "GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    yield* Effect.sleep(100)
    assert.isBelow(yield* stop, mostMs)
    for (const each of [silent, half, idle]) yield* Fiber.join(each)
  })
)

it.live("an answer that was under way is finished, and its connection closed behind it", () =>
  Effect.gen(function* () {
    const begun = yield* Deferred.make<void>()
    const go = yield* Deferred.make<void>()
    const rest = Stream.fromEffect(Effect.as(Deferred.await(go), "rest"))
    const parts = Stream.concat(Stream.make("first "), rest)
    const { origin, stop } = yield* served(
      HttpRouter.add(
        "GET",
        "/",
        Effect.as(
          Deferred.succeed(begun, undefined),
          HttpServerResponse.stream(Stream.encodeText(parts))
        )
      )
    )
    const agent = new Agent({ keepAlive: true })
    const text = yield* Effect.forkChild(
      Effect.callback<string>((resume) => {
        let all = ""
        get(origin, { agent }, (answer) => {
          answer.setEncoding("utf8")
          answer.on("data", (part) => {
            all += part
          })
          answer.on("end", () => resume(Effect.succeed(all)))
        })
      })
    )
    yield* Deferred.await(begun)
    yield* Effect.sleep(100)
    const stopping = yield* Effect.forkChild(stop)
    yield* Effect.sleep(100)
    yield* Deferred.succeed(go, undefined)
    assert.isBelow(yield* Fiber.join(stopping), mostMs)
    assert.strictEqual(yield* Fiber.join(text), "first rest")
    agent.destroy()
  })
)
