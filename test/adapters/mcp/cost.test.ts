/** What messages cost: every one counts against the key's rate limit, and a batch's answer is bounded. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { maxBytes } from "../../../adapters/mcp/batch.ts"
import { everyScope, issued } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched, rpc } from "../../support/surfaces.ts"

const request = (method: string, id: unknown = 1, params?: unknown) => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params })
})

const calling = (name: string, args: unknown = {}, id: unknown = 1) =>
  request("tools/call", id, { name, arguments: args })

const allowed = 10

const narrow = issued(["payment_requests:read"])

/** Every way a message may go; none of them is free. */
const messages: ReadonlyArray<readonly [string, unknown]> = [
  ["ping", request("ping")],
  ["initialize", request("initialize", 1, { protocolVersion: "2025-11-25", capabilities: {} })],
  ["tools/list", request("tools/list")],
  ["a method that is not served", request("resources/list")],
  ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
  ["a response", { jsonrpc: "2.0", id: 1, result: {} }],
  ["something that is no message", { id: 1 }],
  ["a tool that is not there", calling("no_such_tool")],
  ["a tool whose arguments are no object", calling("list_wallets", 7)],
  ["an idempotency key that is no string", calling("create_api_key", { idempotencyKey: 7 })],
  ["a tool", calling("list_wallets")],
  ["a tool the key has no scope for", calling("list_api_keys")],
  ["an empty batch", []]
]

for (const [what, message] of messages) {
  layer(Surfaces.layer({ callsAllowed: allowed }))("a key with ten reads a minute", (it) => {
    it.effect(`sends ${what} ten times, and then waits`, () =>
      Effect.gen(function* () {
        const key = yield* what.includes("scope") ? narrow : issued(everyScope)
        for (let time = 0; time < allowed; time++) {
          const { status, text } = yield* rpc(message, key)
          assert.notStrictEqual(status, 429)
          assert.notInclude(text, '"code":"RATE_LIMITED"')
        }
        const { body, headers, status } = yield* rpc(message, key)
        const isTool = what === "a tool" || what.includes("scope")
        assert.strictEqual(status, isTool ? 200 : 429)
        const error = isTool ? body.result.structuredContent.error : body.error.data
        assert.strictEqual(error.code, "RATE_LIMITED")
        if (isTool) return
        assert.strictEqual(body.error.code, -32002)
        Surfaces.assertSpent({ headers, status }, "reads")
      })
    )
  })
}

layer(Surfaces.layer({ callsAllowed: allowed }))("a batch", (it) => {
  it.effect("costs what its messages cost, and those behind the last read are told so", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const batch = Array.from({ length: 50 }, (_, at) => request("ping", at))
      const { body } = yield* rpc(batch, key)
      assert.lengthOf(body, 50)
      body.forEach(
        (reply: { id: number; result?: object; error?: { code: number } }, at: number) => {
          assert.strictEqual(reply.id, at)
          if (at < allowed) assert.deepStrictEqual(reply.result, {})
          else assert.strictEqual(reply.error?.code, -32002)
        }
      )
    })
  )

  it.effect("of notifications costs as much, and is answered with nothing", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const note = { jsonrpc: "2.0", method: "notifications/initialized" }
      const batch = Array.from({ length: 50 }, () => note)
      assert.deepStrictEqual(yield* Effect.map(rpc(batch, key), ({ status }) => status), 202)
      assert.strictEqual((yield* rpc(request("ping"), key)).status, 429)
    })
  )
})

layer(Surfaces.layer({ wallets: 100 }))("the answer to a batch", (it) => {
  it.effect("holds the tools once, and says where they are the second time", () =>
    Effect.gen(function* () {
      const batch = Array.from({ length: 50 }, (_, at) => request("tools/list", at))
      const { body, text } = yield* rpc(batch, yield* issued(everyScope))
      assert.lengthOf(body, 50)
      assert.isAbove(body[0].result.tools.length, 50)
      for (const { error, id, result } of body.slice(1)) {
        assert.isUndefined(result)
        assert.strictEqual(error.code, -32600)
        assert.include(error.message, "tools/list is allowed once per batch")
        assert.strictEqual(error.data.outcome, "not_executed")
        assert.isNumber(id)
      }
      assert.isBelow(text.length, maxBytes)
    })
  )

  it.effect("ends once it is large, and what comes after is not done", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const reads = Array.from({ length: 49 }, (_, at) =>
        calling("list_wallets", { limit: 100 }, at)
      )
      const write = calling("create_api_key", { label: "Late", scopes: ["account:read"] }, "late")
      const { body, text } = yield* rpc([...reads, write], key)
      assert.lengthOf(body, 50)
      const done = body.filter(({ result }: { result?: object }) => result !== undefined)
      assert.isAbove(done.length, 1)
      assert.isBelow(done.length, 49)
      const one = JSON.stringify(done[0]).length
      assert.isBelow(text.length, maxBytes + one + 50 * 600)
      const late = body.at(-1)
      assert.strictEqual(late.id, "late")
      assert.include(late.error.message, "send it in another batch")
      assert.strictEqual(late.error.data.outcome, "not_executed")
      const keys = yield* rpc(calling("list_api_keys", { limit: 100 }), key)
      assert.notInclude(keys.text, "Late")
    })
  )
})

layer(Surfaces.layer())("what is refused before it is looked at", (it) => {
  const message = JSON.stringify(request("ping", "my-id"))
  const send = (headers: Record<string, string>, body = message) =>
    fetched("/api/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body
    })

  it.effect("bears the id of its message, where that can be read", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const authorization = `Bearer ${key}`
      const refusals = [
        [401, yield* send({})],
        [401, yield* send({ authorization: "Bearer svc_hu_no" })],
        [400, yield* send({ authorization, "mcp-protocol-version": "1999-01-01" })],
        [403, yield* send({ authorization, origin: "https://elsewhere.example" })]
      ] as const
      for (const [expected, { body, status }] of refusals) {
        assert.strictEqual(status, expected)
        assert.strictEqual(body.id, "my-id")
      }
      const unreadable = [
        yield* send({}, "{"),
        yield* send({}, JSON.stringify({ ...request("ping", "my-id"), more: "x".repeat(5000) })),
        yield* send({}, `[${message}]`),
        yield* send({}, JSON.stringify({ id: {} }))
      ]
      for (const { body, status } of unreadable) {
        assert.strictEqual(status, 401)
        assert.isNull(body.id)
      }
    })
  )
})
