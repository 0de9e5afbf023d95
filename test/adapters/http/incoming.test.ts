/** What of a request is read before its call begins, and how answers are written, on node's own requests. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Strangers from "../../../adapters/http/edge/strangers.ts"
import { requestOf, write } from "../../../adapters/http/surface/incoming.ts"

const maxBytes = 64 * 1024

/** A request of which only this has come, and the client that sends the rest. */
const arrived = Effect.fnUntraced(function* (text: string) {
  const server = createServer().listen(0, "127.0.0.1")
  yield* Effect.addFinalizer(() => Effect.sync(() => server.closeAllConnections()))
  yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
  yield* Effect.promise(() => once(server, "listening"))
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
  const asked = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>
  client.write(text)
  const [incoming, answer] = yield* Effect.promise(() => asked)
  return { client, request: requestOf(incoming, answer, Strangers.askedBy(incoming)) }
})

const head = (bytes: number) => `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${bytes}\r\n\r\n`

it.live("waits for a short body, and has it then without waiting", () =>
  Effect.gen(function* () {
    const { client, request } = yield* arrived(`${head(8)}half`)
    let isRead = false
    const whole = Effect.promise(
      () =>
        new Promise<void>((resolve) => {
          request.whenShortIsRead(() => {
            isRead = true
            resolve()
          })
        })
    )
    assert.isFalse(isRead)
    client.write(" way")
    yield* whole
    assert.strictEqual(Buffer.from(Effect.runSync(request.bytes(maxBytes))).toString(), "half way")
  })
)

it.live("waits for no long body, and for none", () =>
  Effect.gen(function* () {
    for (const text of [head(16 * 1024 + 1), "POST / HTTP/1.1\r\nhost: x\r\n\r\n"]) {
      const { request } = yield* arrived(text)
      let isRead = false
      request.whenShortIsRead(() => {
        isRead = true
      })
      assert.isTrue(isRead)
    }
  })
)

it.live("goes on when its client leaves before its body is whole", () =>
  Effect.gen(function* () {
    const { client, request } = yield* arrived(`${head(8)}half`)
    const left = new Promise<void>((resolve) => request.whenShortIsRead(resolve))
    client.destroy()
    yield* Effect.promise(() => left)
    const refused = Effect.runSync(Effect.flip(request.bytes(maxBytes)))
    assert.strictEqual(refused._tag, "INVALID_REQUEST")
  })
)

it.live("writes text of any script as it is", () =>
  Effect.gen(function* () {
    for (const body of ["plain", "caf\u00e9", "\u20ac 5 for \u{1f4b6}", "x".repeat(9_000)]) {
      const server = createServer((incoming, answer) =>
        write(incoming, answer, { status: 200, headers: {}, body }, "req_1", [])
      ).listen(0, "127.0.0.1")
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      yield* Effect.promise(() => once(server, "listening"))
      const { port } = server.address() as AddressInfo
      const response = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/`))
      assert.strictEqual(yield* Effect.promise(() => response.text()), body)
    }
  })
)
