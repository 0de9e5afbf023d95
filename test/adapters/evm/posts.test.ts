/** One POST to a node: what comes back is bounded in time and in size, whatever the node does with the connection. */
import { createServer, type ServerResponse } from "node:http"
import { gzipSync } from "node:zlib"
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { post } from "../../../adapters/evm/post.ts"

const bounds = { timeoutMs: 2000, maxBytes: 1000 }

/** A node that answers each POST so. */
const node = (answer: (response: ServerResponse, body: string) => void) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly url: string
      readonly connections: () => number
      readonly close: () => void
    }>((resume) => {
      let connections = 0
      const server = createServer((request, response) => {
        let body = ""
        request.on("data", (chunk) => {
          body += chunk
        })
        request.on("end", () => answer(response, body))
      })
      server.on("connection", () => {
        connections += 1
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/a-key`
        const close = () => {
          server.closeAllConnections()
          server.close()
        }
        resume(Effect.succeed({ url, connections: () => connections, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

it.live("its answer is read whole, over connections that are kept", () =>
  Effect.gen(function* () {
    const { connections, url } = yield* node((response, body) => response.end(`${body} said`))
    for (const word of ["one", "zwölf", "three", "four", "five"]) {
      const answer = yield* post(url, word, bounds)
      assert.deepStrictEqual(answer, { status: 200, text: `${word} said` })
    }
    // The next one is asked before the connection of the one before is free again.
    assert.isAtMost(connections(), 2)
  }).pipe(Effect.scoped)
)

it.live.each(["gzip", "GZIP", "x-gzip"])("an answer compressed as %s is read as it was", (coding) =>
  Effect.gen(function* () {
    const { url } = yield* node((response) => {
      response.writeHead(200, { "content-encoding": coding }).end(gzipSync("[1,2,3]"))
    })
    assert.strictEqual((yield* post(url, "", bounds)).text, "[1,2,3]")
  }).pipe(Effect.scoped)
)

it.live.each([
  ["nothing", ""],
  ["plain text", "busy"]
])("a refusal keeps its status where %s is said to be compressed", ([, body = ""]) =>
  Effect.gen(function* () {
    const { url } = yield* node((response) => {
      response.writeHead(429, { "content-encoding": "gzip" }).end(body)
    })
    assert.deepStrictEqual(yield* post(url, "", bounds), { status: 429, text: "" })
  }).pipe(Effect.scoped)
)

const many = "0".repeat(2000)

const switching = "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n"

type Answering = (response: ServerResponse) => void

const told: ReadonlyArray<readonly [string, Answering, object]> = [
  [
    "too long",
    (response) => void response.end(many),
    { reason: "oversized", detail: "the answer exceeds 1000 bytes" }
  ],
  [
    "short on the wire and too long once it is read",
    (response) => void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(many)),
    { reason: "oversized", detail: "the answer exceeds 1000 bytes" }
  ],
  [
    "no gzip although it says so",
    (response) => void response.writeHead(200, { "content-encoding": "gzip" }).end("[]"),
    { reason: "unreachable", detail: "Z_DATA_ERROR" }
  ],
  [
    "cut off in the middle",
    (response) => {
      response.writeHead(200, { "content-length": "900" }).write("[1", () => response.destroy())
    },
    { reason: "unreachable", detail: "ECONNRESET" }
  ],
  [
    "another protocol",
    (response) => void response.socket?.end(switching),
    { reason: "unreachable", detail: "the request failed" }
  ],
  [
    "a closed connection",
    (response) => void response.destroy(),
    { reason: "unreachable", detail: "ECONNRESET" }
  ]
]

it.live.each(told)("what is %s is told as such", ([, answer, expected]) =>
  Effect.gen(function* () {
    const { url } = yield* node(answer)
    const { detail, reason } = yield* Effect.flip(post(url, "", bounds))
    assert.deepStrictEqual({ reason, detail }, expected)
  }).pipe(Effect.scoped)
)

it.live("who sends elsewhere is not followed", () =>
  Effect.gen(function* () {
    const elsewhere = yield* node((response) => response.end("[]"))
    const { url } = yield* node((response) =>
      response.writeHead(307, { location: elsewhere.url }).end()
    )
    assert.deepStrictEqual(yield* post(url, "", bounds), { status: 307, text: "" })
    assert.strictEqual(elsewhere.connections(), 0)
  }).pipe(Effect.scoped)
)

it.live("who answers in pieces for ever is given up in time", () =>
  Effect.gen(function* () {
    const { url } = yield* node((response) => {
      const dripping = setInterval(() => response.write(" "), 10)
      response.on("close", () => clearInterval(dripping))
    })
    const { detail } = yield* Effect.flip(post(url, "", { ...bounds, timeoutMs: 200 }))
    assert.strictEqual(detail, "no answer within 200 ms")
  }).pipe(Effect.scoped)
)

it.live("who is interrupted leaves the node", () =>
  Effect.gen(function* () {
    let isAsked = () => {}
    let isLeft = () => {}
    const asked = new Promise<void>((resume) => {
      isAsked = resume
    })
    const left = new Promise<void>((resume) => {
      isLeft = resume
    })
    const { url } = yield* node((response) => {
      response.on("close", isLeft)
      isAsked()
    })
    const asking = yield* Effect.forkChild(post(url, "", bounds))
    yield* Effect.promise(() => asked)
    yield* Fiber.interrupt(asking)
    yield* Effect.promise(() => left)
  }).pipe(Effect.scoped)
)

it.live("nobody there is told without the address, which may carry a key", () =>
  Effect.gen(function* () {
    const { close, url } = yield* node(() => undefined)
    close()
    const nobody = yield* Effect.flip(post(url, "", bounds))
    assert.strictEqual(nobody.detail, "ECONNREFUSED")
    const nonsense = yield* Effect.flip(post("no address with a-key", "", bounds))
    assert.strictEqual(nonsense.detail, "ERR_INVALID_URL")
  }).pipe(Effect.scoped)
)
