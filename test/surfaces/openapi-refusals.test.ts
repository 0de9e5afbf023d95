/**
 * What OpenAPI says of refusals, read by a real validator: the schema of every response accepts a refusal of
 * each code that the response names, and every refusal has one type, so that a generated client has one too.
 */
import { assert, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import addFormats from "ajv-formats"
import { document, served } from "../../adapters/http/manual/openapi.ts"
import * as Refusals from "../../adapters/http/refusals.ts"
import type * as Refusal from "../../core/operation/refusal.ts"
import { sourcesIn } from "../support/source-tree.ts"

// biome-ignore lint/suspicious/noExplicitAny: the test reads the document as its readers do.
const described: any = document("http://localhost:4000")

const ajv = new Ajv2020({ strict: false })
addFormats.default(ajv)
ajv.addSchema({ $id: "bursar", components: described.components })

/** Validates against a schema of the document, whose references are into the document. */
const accepts = (schema: unknown) => {
  const text = JSON.stringify(schema).replaceAll('"#/', '"bursar#/')
  return ajv.compile(JSON.parse(text))
}

interface Response {
  readonly name: string
  readonly status: string
  readonly codes: ReadonlyArray<string>
  readonly content: Readonly<Record<string, { readonly schema: unknown }>>
}

const responses: ReadonlyArray<Response> = Object.entries<object>(described.paths).flatMap(
  ([path, entries]) =>
    Object.entries(entries).flatMap(([method, entry]) =>
      Object.entries<{ description: string; content: Response["content"] }>(entry.responses)
        .filter(([status]) => status !== "200")
        .map(([status, { content, description }]) => ({
          name: `${method.toUpperCase()} ${path} ${status}`,
          status,
          codes: [...description.matchAll(/^`([A-Z0-9_]+)`: /gmu)].map((match) => match[1] ?? ""),
          content
        }))
    )
)

const byCode = new Map(served().map((each) => [each.code, each]))
const surroundings = { siteUrl: "http://localhost:4000", requestId: "req_1" }

/** A refusal with every field one may have. */
const made = (Class: Refusal.Class) =>
  new Class({
    message: "It is refused.",
    param: "amountUsd",
    details: { retryAfterSeconds: 3 },
    next: { operation: "create_payment_request", args: {}, missing: ["walletMappingId"] }
  })

it("names the codes of every refusal, each of them in the error's own list", () => {
  const listed: ReadonlyArray<string> =
    described.components.schemas.ErrorResponse.properties.error.properties.code["x-known-codes"]
  assert.deepStrictEqual(listed, [...listed].sort())
  assert.isAbove(responses.length, 400)
  for (const { codes, name } of responses) {
    assert.isNotEmpty(codes, name)
    assert.includeMembers([...listed], [...codes], name)
  }
})

it("accepts a refusal of every code a response names, by that response's own schema", () => {
  for (const { codes, content, name, status } of responses) {
    assert.deepStrictEqual(Object.keys(content), ["application/json"], name)
    const validate = accepts(content["application/json"]?.schema)
    for (const code of codes) {
      const Class = byCode.get(code)
      if (Class === undefined) return assert.fail(`${name} names ${code}, which is no refusal`)
      assert.strictEqual(String(Refusals.statusOf(code, Class.kind)), status, name)
      const body = JSON.parse(JSON.stringify(Refusals.body(made(Class), surroundings)))
      assert.isTrue(validate(body), `${name} ${code}: ${JSON.stringify(validate.errors)}`)
    }
  }
})

it("accepts a code that is not known yet, and nothing that is no refusal", () => {
  const validate = accepts({ $ref: "#/components/schemas/ErrorResponse" })
  const [first] = served()
  if (first === undefined) return assert.fail("there are no refusals")
  const body = Refusals.body(made(first), surroundings)
  assert.isTrue(validate({ ...body, error: { ...body.error, code: "NOT_THOUGHT_OF_YET" } }))
  assert.isFalse(validate({ ...body, ok: true }))
  assert.isFalse(validate({ ...body, error: { ...body.error, code: "lower case" } }))
  assert.isFalse(validate({ ...body, error: { ...body.error, outcome: "perhaps" } }))
  assert.isFalse(validate({ ok: false, error: { code: first.code } }))
})

it("gives every refusal the same schema, so that a client has one type of error", () => {
  const schemas = new Set(
    responses.map(({ content }) => JSON.stringify(content["application/json"]?.schema))
  )
  assert.deepStrictEqual([...schemas], ['{"$ref":"#/components/schemas/ErrorResponse"}'])
})

it("says in every refusal for a spent rate limit which it was, for the headers of each 429", () => {
  const made = ["core", "adapters"].flatMap((root) =>
    sourcesIn(root).flatMap(({ path, text }) =>
      [...text.matchAll(/new (?:Refusal\.)?RateLimited\(\{.*?\n\s*\}\)/gsu)].map(([refusal]) => ({
        path,
        refusal
      }))
    )
  )
  assert.isNotEmpty(made)
  for (const { path, refusal } of made) {
    assert.match(refusal, /\brateLimit\b/u, path)
    assert.match(refusal, /\blimit\b/u, path)
  }
})

it("describes the problem of RFC 9457 as it is sent", () => {
  const validate = accepts({ $ref: "#/components/schemas/Problem" })
  for (const each of served()) {
    const problem = JSON.parse(JSON.stringify(Refusals.problem(made(each), surroundings)))
    assert.isTrue(validate(problem), `${each.code}: ${JSON.stringify(validate.errors)}`)
  }
})
