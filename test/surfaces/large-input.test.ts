/**
 * How large an input may be: the limit is the operation's own, the same over REST and tools, and holds to the
 * byte. The greatest input an operation promises to take fits.
 */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type JsonSchema, ofInput } from "../../adapters/http/manual/json-schema.ts"
import { document } from "../../adapters/http/manual/openapi.ts"
import type { Scope } from "../../core/operation/caller.ts"
import { defaultMaxBodyBytes } from "../../core/operation/operation.ts"
import { createProvisioningJob } from "../../core/payments/provision.ts"
import { operations } from "../../core/treasury/operations.ts"
import { everyScope, issued } from "../support/small-treasury.ts"
import * as Surfaces from "../support/surfaces.ts"
import { fetched } from "../support/surfaces.ts"

const { maxBodyBytes } = createProvisioningJob

/** As the most careful of encoders writes it: everything beyond ASCII escaped. */
const escaped = (value: unknown) =>
  JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )

/** A thousand customers whose ids and namespaces have the greatest length. */
const customers = Array.from({ length: 1000 }, (_, n) => ({
  externalId: String(n).padStart(128, "語"),
  namespace: "語".repeat(64)
}))

const job = escaped({ chainId: "local", customers })

/** The JSON with as much room inside its last brace as makes it so many bytes. */
const padded = (json: string, bytes: number) =>
  `${json.slice(0, -1)}${" ".repeat(bytes - Buffer.byteLength(json))}}`

const sent = Effect.fnUntraced(function* (
  path: string,
  body: string,
  scopes: ReadonlyArray<Scope> = everyScope
) {
  const key = yield* issued(scopes)
  return yield* fetched(path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body
  })
})

const toJobs = (body: string, scopes?: ReadonlyArray<Scope>) =>
  sent("/api/v1/provisioning/jobs", body, scopes)

const toTools = (body: string, scopes?: ReadonlyArray<Scope>) => sent("/api/mcp", body, scopes)

const message = (id: number, name: string, args: string) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`

/** The most bytes the JSON of a value takes, written in UTF-8; NaN where its schema sets no bound. */
const greatest = (schema: JsonSchema): number => {
  const { anyOf, enum: values, items, maxItems, maxLength, properties = {} } = schema
  if (values !== undefined) return Math.max(...values.map((each) => JSON.stringify(each).length))
  if (anyOf !== undefined) return Math.max(...anyOf.map(greatest))
  const types = [schema.type].flat()
  // A pattern without a length is short by its own counts; the longest is a cursor's.
  if (types.includes("string")) {
    const width = schema.pattern === "^[0-9A-Za-z]+$" ? 1 : 4
    return 2 + width * Number(maxLength ?? (schema.pattern === undefined ? Number.NaN : 128))
  }
  if (types.includes("array")) return 2 + Number(maxItems) * (1 + greatest(items ?? {}))
  if (!types.includes("object")) return 24
  const named = Object.entries(properties).map(([name, each]) => name.length + 4 + greatest(each))
  // A payment request's metadata may be any JSON of 4096 characters; other maps are tags.
  const isAnyJson = schema.maxProperties !== undefined && schema.additionalProperties === undefined
  const tags = isAnyJson ? 4 * 4096 : Number(schema.maxProperties ?? 0) * 4 * (64 + 500 + 2)
  return 2 + tags + named.reduce((sum, bytes) => sum + bytes, 0)
}

it("leaves room for the greatest input of every operation, tags of a thousand customers aside", () => {
  for (const operation of operations) {
    const bytes = greatest(ofInput(operation))
    if (operation === createProvisioningJob) assert.isAbove(bytes, operation.maxBodyBytes)
    else assert.isAtMost(bytes, operation.maxBodyBytes, operation.name)
  }
})

it("says in OpenAPI how large a body may be", () => {
  // biome-ignore lint/suspicious/noExplicitAny: the test reads the document as its readers do.
  const { paths }: any = document("http://localhost:4000")
  const limitOf = (path: string) => paths[path].post.requestBody["x-max-body-bytes"]
  assert.strictEqual(limitOf("/api/v1/provisioning/jobs"), maxBodyBytes)
  assert.strictEqual(limitOf("/api/v1/payment-requests"), defaultMaxBodyBytes)
  assert.include(paths["/api/v1/provisioning/jobs"].post.requestBody.description, "1280 KiB")
})

layer(Surfaces.layer({ callsAllowed: 1000 }))("a large input", (it) => {
  it.effect("of a thousand customers is taken over REST, up to the last byte of the limit", () =>
    Effect.gen(function* () {
      assert.isAbove(job.length, 1_150_000)
      const whole = yield* toJobs(padded(job, maxBodyBytes))
      assert.strictEqual(whole.status, 200, whole.text)
      assert.strictEqual(whole.body.data.total, 1000)
      const more = yield* toJobs(padded(job, maxBodyBytes + 1))
      assert.strictEqual(more.status, 413)
      assert.deepInclude(more.body.error, {
        code: "PAYLOAD_TOO_LARGE",
        outcome: "not_executed",
        details: { maxBytes: maxBodyBytes }
      })
    })
  )

  it.effect("is taken by no other operation, nor of a key without the scope", () =>
    Effect.gen(function* () {
      const request = JSON.stringify({ walletMappingId: "w", amountUsd: 1 })
      const at = "/api/v1/payment-requests"
      assert.strictEqual((yield* sent(at, padded(request, defaultMaxBodyBytes))).status, 404)
      assert.strictEqual((yield* sent(at, padded(request, defaultMaxBodyBytes + 1))).status, 413)
      assert.strictEqual((yield* toJobs(job, ["account:read"])).status, 413)
      assert.strictEqual((yield* toJobs("{}", ["account:read"])).status, 403)
      const ping = padded('{"jsonrpc":"2.0","id":1,"method":"ping"}', defaultMaxBodyBytes + 1)
      assert.strictEqual((yield* toTools(ping, ["account:read"])).status, 413)
    })
  )

  it.effect("is taken by the tool, alone and in a batch, up to the last byte of the limit", () =>
    Effect.gen(function* () {
      const alone = yield* toTools(message(1, "create_provisioning_job", job))
      assert.strictEqual(alone.body.result.structuredContent.total, 1000)
      const batch = `[${message(1, "list_wallets", "{}")},${message(2, "create_provisioning_job", job)}]`
      const limit = maxBodyBytes + defaultMaxBodyBytes
      const fits = `${batch.slice(0, -1)}${" ".repeat(limit - Buffer.byteLength(batch))}]`
      const replies = yield* toTools(fits)
      assert.strictEqual(replies.status, 200)
      assert.isFalse(replies.body[0].result.isError)
      assert.strictEqual(replies.body[1].result.structuredContent.total, 1000)
      const beyond = yield* toTools(` ${fits}`)
      assert.strictEqual(beyond.status, 413)
      assert.strictEqual(beyond.body.error.data.code, "PAYLOAD_TOO_LARGE")
    })
  )

  it.effect("of one call in a batch is judged by that call's own limit", () =>
    Effect.gen(function* () {
      const args = (length: number) => {
        const bare = JSON.stringify({ walletMappingId: "w", amountUsd: 1, description: "" })
        return bare.replace('""', `"${"x".repeat(length - bare.length)}"`)
      }
      const batch = [
        message(1, "create_payment_request", args(defaultMaxBodyBytes)),
        message(2, "create_payment_request", args(defaultMaxBodyBytes + 1))
      ]
      const { body } = yield* toTools(`[${batch.join(",")}]`)
      const codes = body.map(
        (reply: { result: { structuredContent: { error: { code: string } } } }) =>
          reply.result.structuredContent.error.code
      )
      assert.deepStrictEqual(codes, ["INVALID_REQUEST", "PAYLOAD_TOO_LARGE"])
    })
  )
})
