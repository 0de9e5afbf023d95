/** The OpenAPI document is valid by someone else's reading, and tells of every operation as it is served. */
import { assert, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Ajv2020 } from "ajv/dist/2020.js"
import { document } from "../../adapters/http/manual/openapi.ts"
import { bound, readsQuery } from "../../adapters/http/route.ts"
import { onboardAgent, renewAgent } from "../../core/agents/plans.ts"

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document as its readers do.
const described: any = document("http://localhost:4000")

const entryOf = ({ route }: (typeof bound)[number]) =>
  described.paths[route.path.replaceAll(/:(\w+)/gu, "{$1}")]?.[route.method.toLowerCase()]

it("is valid OpenAPI 3.1", async () => {
  const result = await new Validator().validate(structuredClone(described))
  assert.deepStrictEqual(result.errors ?? [], [])
  assert.isTrue(result.valid)
})

it("speaks of a nullable value as a type, never as a choice with null", () => {
  const walk = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return
    for (const choice of [(node as { anyOf?: unknown }).anyOf].flat()) {
      assert.notDeepEqual(choice, { type: "null" })
    }
    Object.values(node).forEach(walk)
  }
  walk(described)
})

/** How many rows a list answers with, and at most, where the usual 20 and 100 do not hold. */
const limits: Readonly<Record<string, readonly [usual: number, most: number]>> = {
  list_pending_cosigner_approvals: [10, 100],
  get_portfolio: [100, 100],
  discover_tokens: [10, 25],
  list_yield_markets: [15, 25]
}

for (const one of bound) {
  const { operation, route } = one
  it(`describes ${operation.name} with its scope, its fields and its refusals`, () => {
    const entry = entryOf(one)
    assert.include(entry["x-operations"], operation.name)
    assert.include(entry["x-required-scope"], operation.scope)
    assert.include(entry.description, operation.scope)
    for (const status of ["200", "400", "401", "403", "404", "429", "500"]) {
      assert.property(entry.responses, status)
    }
    for (const header of ["RateLimit", "RateLimit-Policy"]) {
      for (const status of ["200", "404", "429", "500"]) {
        assert.property(entry.responses[status].headers, header, status)
      }
      assert.notProperty(entry.responses["401"].headers, header)
    }
    const named = entry.parameters.map((parameter: { name?: string }) => parameter.name)
    for (const field of route.pathFields) assert.include(named, field)
    const writes = operation.sideEffect !== "read"
    assert.strictEqual(
      entry.parameters.some((each: { $ref?: string }) => each.$ref?.endsWith("IdempotencyKey")),
      writes
    )
    if (readsQuery(route.method)) {
      for (const field of Object.keys(operation.input.fields)) assert.include(named, field)
    } else {
      const { schema } = entry.requestBody.content["application/json"]
      for (const each of schema.anyOf ?? [schema]) assert.isFalse(each.additionalProperties)
    }
    const limit = entry.parameters.find((each: { name?: string }) => each.name === "limit")
    if (limit !== undefined) {
      const [usual, maximum] = limits[operation.name] ?? [20, 100]
      assert.deepInclude(limit.schema, { type: "integer", default: usual, minimum: 1, maximum })
    }
  })

  it(`gives an example of ${operation.name} that its own schema accepts`, () => {
    const content = entryOf(one).requestBody?.content["application/json"]
    if (content === undefined || content.schema.anyOf !== undefined) return
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(content.schema)
    assert.isTrue(validate(content.example), JSON.stringify(validate.errors))
  })
}

it("declares again in the query what the specification does, and nothing else as required", () => {
  const again = (path: string, name: string) =>
    described.paths[path].get.parameters.filter((each: { name?: string }) => each.name === name)
  const asked = again("/api/v1/payment-requests/{idOrPid}", "idOrPid")
  assert.deepStrictEqual(
    asked.map((each: { in: string; required: boolean }) => [each.in, each.required]),
    [
      ["path", true],
      ["query", true]
    ]
  )
  const other = again("/api/v1/proposals/{proposalId}", "proposalId")
  assert.deepStrictEqual(
    other.map((each: { in: string; required: boolean }) => [each.in, each.required]),
    [
      ["path", true],
      ["query", false]
    ]
  )
})

it("asks for no body where an action needs none", () => {
  const bodyOf = (path: string) => described.paths[path].post.requestBody
  assert.isFalse(bodyOf("/api/merchant-webhooks/{id}").required)
  assert.isTrue(bodyOf("/api/merchant-webhooks").required)
})

for (const [path, sold] of [
  ["/api/agents", onboardAgent],
  ["/api/agents/renew", renewAgent]
] as const) {
  it(`describes ${sold.name}, which is paid for and is no tool`, () => {
    const entry = described.paths[path]?.post
    assert.strictEqual(entry.operationId, sold.name)
    for (const status of ["200", "400", "402", "404", "429", "500", "503"]) {
      assert.property(entry.responses, status)
    }
    assert.includeMembers(Object.keys(entry.responses["402"].headers), [
      "PAYMENT-REQUIRED",
      "PAYMENT-RESPONSE"
    ])
    const { example, schema } = entry.requestBody.content["application/json"]
    assert.isFalse(schema.additionalProperties)
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema)
    assert.isTrue(validate(example), JSON.stringify(validate.errors))
    assert.notInclude(
      bound.map(({ operation }) => operation.name),
      sold.name
    )
  })
}
