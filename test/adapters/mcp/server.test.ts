/** The tool surface, spoken to in bare JSON-RPC as the simplest agent would. */
import { request as raw } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Host from "../../../adapters/mcp/host.ts"
import { operations } from "../../../core/treasury/operations.ts"
import { everyScope, issued, siteUrl } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { callTool, fetched, rpc } from "../../support/surfaces.ts"

const asked = Effect.fnUntraced(function* (message: unknown, headers: Record<string, string> = {}) {
  return yield* rpc(message, yield* issued(everyScope), headers)
})

const called = Effect.fnUntraced(function* (name: string, args: unknown) {
  return yield* callTool(name, args, yield* issued(everyScope))
})

const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }

interface Tool {
  readonly name: string
  readonly description: string
  readonly inputSchema: {
    properties: Record<string, { readonly description?: string }>
    additionalProperties: boolean
  }
  readonly outputSchema: { type: string; properties: Record<string, unknown> }
  readonly annotations: Record<string, boolean>
  readonly _meta: { scope: string }
}

layer(Surfaces.layer({ origins: ["https://agent.example"] }))("the tools", (it) => {
  it.effect("are the catalogue, each with closed input, output, hints and scope", () =>
    Effect.gen(function* () {
      const { body } = yield* asked(list)
      const tools: ReadonlyArray<Tool> = body.result.tools
      assert.deepStrictEqual(
        tools.map((tool) => tool.name),
        operations.map((operation) => operation.name)
      )
      for (const operation of operations) {
        const tool = tools.find(({ name }) => name === operation.name)
        if (tool === undefined) continue
        const writes = operation.sideEffect !== "read"
        assert.isFalse(tool.inputSchema.additionalProperties)
        assert.strictEqual("idempotencyKey" in tool.inputSchema.properties, writes)
        assert.strictEqual(tool.outputSchema.type, "object")
        assert.includeMembers(
          Object.keys(tool.outputSchema.properties),
          Object.keys(operation.output.fields)
        )
        assert.strictEqual(tool.annotations.readOnlyHint, !writes)
        assert.strictEqual(tool._meta.scope, operation.scope)
        assert.include(tool.description, operation.next)
        const { idempotencyKey } = tool.inputSchema.properties
        if (writes) assert.include(idempotencyKey?.description, "when you retry")
      }
      assert.notInclude(JSON.stringify(tools), '{"type":"null"}')
    })
  )

  it.effect("are called without a handshake, and answer with text and structure alike", () =>
    Effect.gen(function* () {
      const { body, headers, status } = yield* called("list_wallets", { limit: 1 })
      assert.strictEqual(status, 200)
      assert.strictEqual(body.id, 1)
      assert.isFalse(body.result.isError)
      assert.lengthOf(body.result.structuredContent.wallets, 1)
      assert.deepStrictEqual(JSON.parse(body.result.content[0].text), body.result.structuredContent)
      assert.match(headers.get("ratelimit") ?? "", /^"reads";r=\d+;t=60$/u)
      assert.isNotNull(headers.get("x-request-id"))
    })
  )

  it.effect("refuse with the error body of REST as a result, never as a fault", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* called("get_payment_request", { idOrPid: "pr_nothing" })
      const { content, isError, structuredContent } = body.result
      assert.isTrue(isError)
      assert.isFalse(structuredContent.ok)
      assert.deepInclude(structuredContent.error, {
        code: "NOT_FOUND",
        type: "not_found",
        outcome: "not_executed",
        retryable: false,
        docUrl: `${siteUrl}/docs/errors#NOT_FOUND`,
        requestId: headers.get("x-request-id")
      })
      assert.deepStrictEqual(JSON.parse(content[0].text), structuredContent)
    })
  )

  it.effect("repeat the answer to an idempotency key, and check the key's form", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const send = (idempotencyKey: unknown, label = "till") =>
        callTool("create_api_key", { scopes: ["account:read"], label, idempotencyKey }, key)
      const first = yield* send("till-7")
      const again = yield* send("till-7")
      assert.isUndefined(first.body.result._meta)
      assert.deepStrictEqual(again.body.result._meta, { idempotentReplayed: true })
      assert.deepStrictEqual(
        again.body.result.structuredContent,
        first.body.result.structuredContent
      )
      const other = yield* send("till-7", "another")
      assert.strictEqual(other.body.result.structuredContent.error.code, "IDEMPOTENCY_KEY_REUSED")
      assert.isFalse((yield* send("till 8")).body.result.isError ?? false)
      for (const bad of [7, "", " before", "after ", "x".repeat(256)]) {
        const { structuredContent } = (yield* send(bad)).body.result
        assert.strictEqual(structuredContent.error.param, "idempotencyKey", String(bad))
      }
      const onRead = yield* called("list_wallets", { idempotencyKey: "x" })
      assert.strictEqual(onRead.body.result.structuredContent.error.code, "UNKNOWN_FIELD")
    })
  )

  it.effect("fault what is wrong with the protocol itself", () =>
    Effect.gen(function* () {
      const faults = [
        [{ id: 1, method: "tools/list" }, -32600, null],
        [{ jsonrpc: "2.0", id: 1 }, -32600, 1],
        [{ jsonrpc: "2.0", id: null, method: "ping" }, -32600, null],
        [{ jsonrpc: "2.0", id: null, method: "tools/call" }, -32600, null],
        [{ jsonrpc: "2.0", id: "a", method: "tools/steal" }, -32601, "a"],
        [{ jsonrpc: "2.0", id: 2, method: "tools/call", params: [] }, -32600, 2],
        [{ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "x" } }, -32602, 2],
        [{ jsonrpc: "2.0", id: 2, method: "tools/call" }, -32602, 2],
        ["hello", -32600, null],
        [[], -32600, null]
      ] as const
      for (const [message, code, id] of faults) {
        const { body } = yield* asked(message)
        assert.strictEqual(body.error.code, code, JSON.stringify(message))
        assert.strictEqual(body.id, id)
      }
      const listed = yield* called("list_wallets", [])
      assert.strictEqual(listed.body.error.code, -32602)
    })
  )

  it.effect("name the tool that was meant, where the name is near to one", () =>
    Effect.gen(function* () {
      const told = (name: unknown) =>
        Effect.map(
          asked({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name } }),
          ({ body }) => String(body.error.message)
        )
      assert.include(yield* told("createCheckout"), "did you mean create_checkout_session?")
      assert.include(yield* told("list-wallets"), "did you mean list_wallets?")
      assert.include(yield* told("getPaymentRequest"), "did you mean get_payment_request?")
      for (const name of ["zzzzzzzz", 7, "list_wallets".repeat(1000)]) {
        assert.strictEqual(yield* told(name), "Unknown tool; tools/list lists the tools.")
      }
    })
  )

  it.effect("accept notifications in silence and answer batches in order", () =>
    Effect.gen(function* () {
      const initialized = { jsonrpc: "2.0", method: "notifications/initialized" }
      const quiet = yield* asked(initialized)
      assert.strictEqual(quiet.status, 202)
      assert.strictEqual(quiet.text, "")
      assert.strictEqual((yield* asked([initialized])).status, 202)
      const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" })
      const batch = yield* asked([ping(1), initialized, ping(2), "junk"])
      assert.deepStrictEqual(
        batch.body.map((each: { id: unknown }) => each.id),
        [1, 2, null]
      )
      const many = yield* asked(Array.from({ length: 51 }, (_, id) => ping(id)))
      assert.strictEqual(many.status, 400)
    })
  )

  it.effect("carry out no call that comes without an id, and answer it with nothing", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const label = "made unseen"
      const params = { name: "create_api_key", arguments: { scopes: ["account:read"], label } }
      const call = { jsonrpc: "2.0", method: "tools/call", params }
      const labels = Effect.map(callTool("list_api_keys", { limit: 100 }, key), ({ body }) =>
        body.result.structuredContent.api_keys.map((each: { label: unknown }) => each.label)
      )
      const others = ["tools/list", "initialize", "ping", "tools/steal"]
      const unseen = [
        call,
        { ...call, params: [] },
        ...others.map((method) => ({ ...call, method }))
      ]
      for (const message of [...unseen, unseen]) {
        const { status, text } = yield* rpc(message, key)
        assert.deepStrictEqual([status, text], [202, ""], JSON.stringify(message))
      }
      const { body } = yield* rpc([...unseen, { jsonrpc: "2.0", id: 9, method: "ping" }], key)
      assert.deepStrictEqual(body, [{ jsonrpc: "2.0", id: 9, result: {} }])
      assert.notInclude(yield* labels, label)
      yield* rpc({ ...call, id: 1 }, key)
      assert.include(yield* labels, label)
    })
  )

  it.effect("agree on a version of the protocol that both speak", () =>
    Effect.gen(function* () {
      const agreed = (protocolVersion: string) =>
        Effect.map(
          asked({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion } }),
          ({ body }) => body.result.protocolVersion
        )
      for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]) {
        assert.strictEqual(yield* agreed(version), version)
        assert.strictEqual((yield* asked(list, { "mcp-protocol-version": version })).status, 200)
      }
      assert.strictEqual(yield* agreed("1999-01-01"), "2025-11-25")
      assert.strictEqual((yield* asked(list, { "mcp-protocol-version": "1999-01-01" })).status, 400)
    })
  )

  it.effect("need a key for every method, the handshake too", () =>
    Effect.gen(function* () {
      for (const method of ["initialize", "ping", "tools/list", "notifications/initialized"]) {
        const reply = yield* rpc({ jsonrpc: "2.0", id: 1, method }, "nonsense")
        assert.strictEqual(reply.status, 401, method)
        assert.strictEqual(reply.headers.get("www-authenticate"), 'Bearer error="invalid_token"')
      }
    })
  )

  it.effect("turn away pages of origins that were not let in", () =>
    Effect.gen(function* () {
      const from = (origin: string) => Effect.map(asked(list, { origin }), ({ status }) => status)
      for (const origin of [siteUrl, "https://agent.example"]) {
        assert.strictEqual(yield* from(origin), 200, origin)
      }
      for (const origin of ["https://evil.example", "null", `${siteUrl}.evil.example`]) {
        assert.strictEqual(yield* from(origin), 403, origin)
      }
    })
  )

  it.effect("are called by names of ours, and by those that nobody can lead here", () =>
    Effect.gen(function* () {
      const isServed = (host: string) =>
        Host.isOurs(host, "https://pay.example.com", ["tools.example"])
      for (const host of [
        "pay.example.com",
        "Pay.Example.com.:443",
        "tools.example:8080",
        "127.0.0.1:4000",
        "[::1]:4000",
        "10.0.0.7",
        "localhost:4000",
        "sandbox.localhost",
        "bursar:4000"
      ]) {
        assert.isTrue(isServed(host), host)
      }
      for (const host of [
        "evil.example",
        "evil.example:4000",
        "pay.example.com.evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "[evil.example]:80"
      ]) {
        assert.isFalse(isServed(host), host)
      }
      const { port } = new URL(yield* Surfaces.Origin)
      const key = yield* issued(everyScope)
      const asking = (host: string) =>
        Effect.promise(
          () =>
            new Promise<number | undefined>((resolve, reject) => {
              const headers = {
                host,
                authorization: `Bearer ${key}`,
                "content-type": "application/json"
              }
              const request = raw({
                port,
                host: "127.0.0.1",
                path: "/api/mcp",
                method: "POST",
                headers
              })
              request.on("response", (answer) => resolve(answer.resume().statusCode))
              request.on("error", reject)
              request.end(JSON.stringify(list))
            })
        )
      assert.strictEqual(yield* asking(`127.0.0.1:${port}`), 200)
      assert.strictEqual(yield* asking(`evil.example:${port}`), 403)
    })
  )

  it.effect("have the limits of REST on bodies and methods", () =>
    Effect.gen(function* () {
      const large = yield* asked({ ...list, params: { pad: "x".repeat(65 * 1024) } })
      assert.strictEqual(large.status, 413)
      const plain = yield* asked(list, { "content-type": "text/plain" })
      assert.strictEqual(plain.status, 415)
      for (const method of ["GET", "DELETE", "PUT"]) {
        const reply = yield* fetched("/api/mcp", { method })
        assert.strictEqual(reply.status, 405)
        assert.strictEqual(reply.headers.get("allow"), "POST")
      }
    })
  )
})
