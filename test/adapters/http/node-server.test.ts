/** The node server: bounded against slow and large clients, and orderly when it starts and stops. */
import { connect } from "node:net"
import { assert, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { NetAddress } from "effect/net"
import * as NodeServer from "../../../adapters/http/node-server.ts"
import { serve } from "../../../adapters/http/server.ts"
import { serving } from "../../../adapters/http/surface/surface.ts"
import * as Treasury from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { Origin } from "../../support/surfaces.ts"

/** Sends text as it is, keeps the line open, and gives back what came until the server closed it. */
const raw = (origin: string, text: string) =>
  Effect.callback<string>((resume) => {
    let received = ""
    const socket = connect(Number(new URL(origin).port), "127.0.0.1", () => socket.write(text))
    socket.on("data", (chunk) => {
      received += chunk.toString("utf8")
    })
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.succeed(received)))
    return Effect.sync(() => socket.destroy())
  })

layer(Surfaces.layer({ server: { headersTimeoutMs: 300, requestTimeoutMs: 600 } }))(
  "a server of short patience",
  (it) => {
    it.effect("closes a line whose headers never end", () =>
      Effect.gen(function* () {
        const received = yield* raw(
          yield* Origin,
          "GET /api/v1/wallets HTTP/1.1\r\nhost: x\r\nx-a: b"
        )
        assert.match(received, /^HTTP\/1.1 408 /u)
      })
    )

    it.effect("closes a line whose body never comes", () =>
      Effect.gen(function* () {
        const key = yield* Treasury.issued(Treasury.everyScope)
        const received = yield* raw(
          yield* Origin,
          `POST /api/v1/keys HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`
        )
        assert.match(received, /^HTTP\/1.1 408 /u)
      })
    )

    it.effect("refuses headers above 16 KiB", () =>
      Effect.gen(function* () {
        const received = yield* raw(
          yield* Origin,
          `GET /api/v1/wallets HTTP/1.1\r\nhost: x\r\nx-a: ${"a".repeat(20_000)}\r\n\r\n`
        )
        assert.match(received, /^HTTP\/1.1 431 /u)
      })
    )
  }
)

const portOf = (server: HttpServer.HttpServer["Service"]) =>
  Number(new URL(NetAddress.formatUrlUnsafe(server.address)).port)

it.live("names the port that is taken", () =>
  Effect.gen(function* () {
    const port = portOf(yield* HttpServer.HttpServer)
    const error = yield* Effect.flip(Effect.scoped(Layer.build(NodeServer.layer({ port }))))
    assert.strictEqual(error._tag, "PortTaken")
    assert.strictEqual(error.port, port)
    assert.include(error.message, String(port))
  }).pipe(Effect.provide(NodeServer.layer({ port: 0 })))
)

it.live(
  "keeps idle lines longer than a busy client is away, and behind proxies longer than they do",
  () =>
    Effect.gen(function* () {
      const promised = (guards: NodeServer.Options["guards"]) =>
        Effect.gen(function* () {
          const { address } = yield* HttpServer.HttpServer
          const answer = yield* Effect.promise(() => fetch(NetAddress.formatUrlUnsafe(address)))
          return answer.headers.get("keep-alive")
        }).pipe(
          Effect.provide(
            serve(HttpRouter.add("GET", "/", HttpServerResponse.text("here"))).pipe(
              Layer.provideMerge(NodeServer.layer({ port: 0, guards: guards ?? {} })),
              Layer.provide(Treasury.layer())
            )
          ),
          Effect.scoped
        )
      assert.strictEqual(yield* promised({}), "timeout=20, max=10000")
      assert.strictEqual(
        yield* promised({ connections: { maxPerClient: 256 } }),
        "timeout=20, max=10000"
      )
      const behindProxy = { connections: { maxPerClient: undefined } }
      assert.strictEqual(yield* promised(behindProxy), "timeout=75, max=10000")
      assert.strictEqual(yield* promised({ keepAliveMs: 3_000 }), "timeout=3, max=10000")
    })
)

it.live("finishes what is in flight before it stops, and takes nothing new", () =>
  Effect.gen(function* () {
    const entered = yield* Deferred.make<void>()
    const leave = yield* Deferred.make<void>()
    const slow = HttpRouter.add(
      "GET",
      "/slow",
      Deferred.succeed(entered, undefined).pipe(
        Effect.andThen(Deferred.await(leave)),
        Effect.as(HttpServerResponse.text("done"))
      )
    )
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(
      serve(slow).pipe(
        Layer.provideMerge(NodeServer.layer({ port: 0 })),
        Layer.provide(Treasury.layer())
      ),
      scope
    )
    const origin = NetAddress.formatUrlUnsafe(
      (yield* HttpServer.HttpServer.pipe(Effect.provide(context))).address
    )
    const inFlight = yield* Effect.forkChild(
      Effect.promise(() => fetch(`${origin}/slow`).then((response) => response.text()))
    )
    yield* Deferred.await(entered)
    const stopsAt = performance.now()
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    const refused = yield* Effect.promise(() =>
      fetch(`${origin}/slow`).then(
        () => false,
        () => true
      )
    ).pipe(Effect.repeat({ until: (isRefused: boolean) => isRefused }))
    assert.isTrue(refused)
    yield* Deferred.succeed(leave, undefined)
    assert.strictEqual(yield* Fiber.join(inFlight), "done")
    yield* Fiber.join(closing)
    // Its client would keep the connection, and the server would wait for it to leave.
    assert.isBelow(performance.now() - stopsAt, 5_000)
  })
)

it.live("gives up a call that still waits when it stops", () =>
  Effect.gen(function* () {
    const entered = yield* Deferred.make<void>()
    const givenUp = yield* Deferred.make<void>()
    const endless = serving([
      [
        "GET",
        "/api/endless",
        () =>
          Deferred.succeed(entered, undefined).pipe(
            Effect.andThen(Effect.never),
            Effect.onInterrupt(() => Deferred.succeed(givenUp, undefined))
          )
      ]
    ])
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(
      serve(endless).pipe(
        Layer.provideMerge(NodeServer.layer({ port: 0, gracefulShutdownMs: 50 })),
        Layer.provide(Treasury.layer())
      ),
      scope
    )
    const { address } = Context.get(context, HttpServer.HttpServer)
    const url = `${NetAddress.formatUrlUnsafe(address)}/api/endless`
    const asked = yield* Effect.forkChild(Effect.exit(Effect.tryPromise(() => fetch(url))))
    yield* Deferred.await(entered)
    yield* Scope.close(scope, Exit.void)
    assert.isTrue(yield* Deferred.isDone(givenUp))
    assert.isTrue(Exit.isFailure(yield* Fiber.join(asked)))
  })
)
