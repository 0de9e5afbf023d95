/** Endpoints that drip, flood, lie about their encoding or do not speak HTTP cost a bounded time and memory. */
import { createServer, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Outside from "./outside.ts"

const deadlineMs = 300
/** A loaded machine may be late, but by no more than this. */
const latestMs = deadlineMs + 1500

/** A server that sends raw bytes to whoever connects. */
const speaking = (speak: (socket: Socket) => void) =>
  Effect.gen(function* () {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => {
      sockets.add(socket)
      socket.on("error", () => socket.destroy())
      speak(socket)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => {
        server.listen(0, "127.0.0.1", () => resume(Effect.void))
      }),
      () =>
        Effect.callback<void>((resume) => {
          server.close(() => resume(Effect.void))
          for (const socket of sockets) socket.destroy()
        })
    )
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    return { url: `http://127.0.0.1:${port}/`, https: `https://${Outside.merchant}:${port}/` }
  })

const afterRequest =
  (answer: string | Buffer, end = true) =>
  (socket: Socket) => {
    socket.once("data", () => (end ? socket.end(answer) : socket.write(answer)))
  }

const local = { mode: "local", deadlineMs } as const

it.live("a body that drips for ever ends at the deadline", () =>
  Effect.gen(function* () {
    const { url } = yield* Outside.open((response) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write("x"), 20)
      response.on("close", () => clearInterval(drip))
    })
    const carry = yield* Outside.courierWith({ deadlineMs })
    const reply = yield* carry(url("/"))
    assert.strictEqual(Outside.outcome(reply), "timeout")
    assert.isBelow(reply.durationMs, latestMs)
  })
)

it.live("headers that drip for ever, and interim answers without end, end at the deadline", () =>
  Effect.gen(function* () {
    const endless = [
      ["HTTP/1.1 200 OK\r\n", "x-a: b\r\n"],
      ["", "HTTP/1.1 103 Early Hints\r\n\r\n"]
    ] as const
    for (const [start, more] of endless) {
      const { url } = yield* speaking((socket) => {
        socket.once("data", () => {
          socket.write(start)
          const drip = setInterval(() => socket.write(more), 20)
          socket.on("close", () => clearInterval(drip))
        })
      })
      const carry = yield* Outside.courierWith(local)
      const reply = yield* carry(url)
      assert.strictEqual(Outside.outcome(reply), "timeout")
      assert.isBelow(reply.durationMs, latestMs)
    }
  })
)

it.live("a connection that is never accepted in TLS ends at the deadline", () =>
  Effect.gen(function* () {
    const { https } = yield* speaking(() => undefined)
    const carry = yield* Outside.courierWith({
      deadlineMs,
      lookup: Outside.resolvesTo("127.0.0.1"),
      alsoPublic: () => true
    })
    const reply = yield* carry(https)
    assert.strictEqual(Outside.outcome(reply), "timeout")
    assert.isBelow(reply.durationMs, latestMs)
  })
)

it.live("of an endless body 4 KiB are kept, and the connection is cut", () =>
  Effect.gen(function* () {
    const cut = yield* Deferred.make<number>()
    const { url } = yield* Outside.open((response) => {
      let sent = 0
      const block = Buffer.alloc(65_536, "a")
      const flood = () => {
        do sent += block.length
        while (response.write(block))
      }
      response.on("drain", flood)
      response.on("error", () => undefined)
      response.on("close", () => Deferred.doneUnsafe(cut, Effect.succeed(sent)))
      flood()
    })
    const carry = yield* Outside.courierWith()
    const reply = yield* carry(url("/"))
    assert.isTrue(reply._tag === "answered" && reply.truncated)
    assert.strictEqual(reply._tag === "answered" && reply.body, "a".repeat(4096))
    assert.isBelow(yield* Deferred.await(cut), 16 * 1024 * 1024)
  })
)

it.live("a compressed answer is not unpacked", () =>
  Effect.gen(function* () {
    const bomb = gzipSync(Buffer.alloc(32 * 1024 * 1024))
    const { url } = yield* Outside.open((response) => {
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb)
    })
    const carry = yield* Outside.courierWith()
    const reply = yield* carry(url("/"))
    assert.isTrue(reply._tag === "answered" && reply.truncated && reply.body.length <= 4096)
    assert.notInclude(reply._tag === "answered" ? reply.body : "\u0000", "\u0000")
  })
)

it.live("an answer's controls are replaced, so that any database can keep it", () =>
  Effect.gen(function* () {
    const { url } = yield* Outside.open((response) => {
      response.end(Buffer.from([0x61, 0x00, 0x1b, 0x0a, 0xff, 0x62]))
    })
    const carry = yield* Outside.courierWith()
    const reply = yield* carry(url("/"))
    assert.strictEqual(reply._tag === "answered" && reply.body, "a\ufffd\ufffd\n\ufffdb")
  })
)

const faults = {
  "closes before it answers": [
    "reset",
    (socket: Socket) => socket.once("data", () => socket.end())
  ],
  "resets the connection": [
    "reset",
    (socket: Socket) => socket.once("data", () => socket.resetAndDestroy())
  ],
  "breaks off in its body": [
    "reset",
    afterRequest("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab")
  ],
  "speaks another protocol": ["protocol", afterRequest("220 mail.example.com ESMTP\r\n", false)],
  "sends headers above 8 KiB": [
    "protocol",
    afterRequest(`HTTP/1.1 200 OK\r\nx-a: ${"b".repeat(9000)}\r\n\r\n`, false)
  ],
  "switches protocols": [
    "protocol",
    afterRequest("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n", false)
  ],
  "sends two lengths": [
    "protocol",
    afterRequest("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab", false)
  ]
} as const

for (const [fault, [reason, speak]] of Object.entries(faults)) {
  it.live(`an endpoint that ${fault} is told as ${reason}`, () =>
    Effect.gen(function* () {
      const { url } = yield* speaking(speak)
      const carry = yield* Outside.courierWith({ mode: "local" })
      assert.strictEqual(Outside.outcome(yield* carry(url)), reason)
    })
  )
}

it.live("an endpoint that speaks no TLS where it should is told as tls", () =>
  Effect.gen(function* () {
    for (const speak of [
      afterRequest("HTTP/1.1 400 Bad Request\r\n\r\n"),
      (socket: Socket) => socket.once("data", () => socket.end())
    ]) {
      const { https } = yield* speaking(speak)
      const carry = yield* Outside.courierWith({
        lookup: Outside.resolvesTo("127.0.0.1"),
        alsoPublic: () => true
      })
      assert.strictEqual(Outside.outcome(yield* carry(https)), "tls")
    }
  })
)

it.live("an interim answer is passed over for the one that follows", () =>
  Effect.gen(function* () {
    const { url } = yield* speaking(
      afterRequest(
        "HTTP/1.1 103 Early Hints\r\nretry-after: 5\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"
      )
    )
    const carry = yield* Outside.courierWith({ mode: "local" })
    const reply = yield* carry(url)
    assert.strictEqual(Outside.outcome(reply), 200)
    assert.isTrue(reply._tag === "answered" && reply.body === "ok" && reply.retryAfterMs === null)
  })
)
