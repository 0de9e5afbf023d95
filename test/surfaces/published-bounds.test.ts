/** What OpenAPI and tools say of a field's bounds and defaults is what the operation requires and does. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { type JsonSchema, ofInput } from "../../adapters/http/manual/json-schema.ts"
import { decode } from "../../core/operation/input.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { operations } from "../../core/treasury/operations.ts"

const fields = operations.flatMap((operation: Operation.Any) =>
  Object.entries(ofInput(operation).properties ?? {}).map(([name, schema]) => ({
    name,
    operation,
    schema
  }))
)

/** What is said of the field when it has this value. */
const saidOf = ({ name, operation }: (typeof fields)[number], value: unknown) =>
  Effect.match(decode(operation, { ...operation.example.input, [name]: value }), {
    onSuccess: () => "",
    onFailure: ({ message }) => message
  })

const bound = /must (be (at least|at most|between|\d+ to)|have at most) /u

const of = (type: string, { type: own }: JsonSchema) => [own].flat().includes(type)

it.effect("a text as short as is published is not too short", () =>
  Effect.gen(function* () {
    const texts = fields.filter(({ schema }) => of("string", schema) && schema.enum === undefined)
    assert.isAbove(texts.length, 100)
    for (const field of texts) {
      const shortest = "7".repeat(Number(field.schema.minLength ?? 0))
      const said = yield* saidOf(field, shortest)
      assert.notMatch(said, bound, `${field.operation.name} ${field.name}`)
    }
  })
)

it.effect(
  "a text as long as is published is not too long, in characters beyond UTF-16's units too",
  () =>
    Effect.gen(function* () {
      const texts = fields.filter(({ schema }) => schema.maxLength !== undefined)
      assert.isAbove(texts.length, 100)
      for (const field of texts) {
        const most = Number(field.schema.maxLength)
        const said = yield* saidOf(field, "😀".repeat(most))
        assert.notMatch(said, bound, `${field.operation.name} ${field.name}`)
        const beyond = yield* saidOf(field, "😀".repeat(most + 1))
        assert.notStrictEqual(beyond, "", `${field.operation.name} ${field.name}`)
      }
    })
)

it.effect("a number has no bound that is not published", () =>
  Effect.gen(function* () {
    const numbers = fields.filter(({ schema }) => of("number", schema) || of("integer", schema))
    assert.isAbove(numbers.length, 20)
    for (const field of numbers) {
      const { maximum = 999_999_999, minimum = -999_999_999 } = field.schema
      for (const value of [minimum, maximum]) {
        assert.notMatch(yield* saidOf(field, value), bound, `${field.operation.name} ${field.name}`)
      }
    }
  })
)

/** What the spec says a field is when it is left out, by operation. */
const defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  create_payment_request: { expiryDays: 30 },
  create_merchant_webhook: { events: ["payment_request.paid"], maxAttempts: 10 },
  quote_swap: { slippagePercent: 0.5 },
  propose_swap: { slippagePercent: 0.5 },
  propose_solana_swap: { slippagePercent: 0.5 },
  get_guide: { topic: "overview" },
  list_audit_log: { limit: 20 },
  discover_tokens: { limit: 10, sort: "market_cap" },
  list_yield_markets: { asset: "USDC", limit: 15 },
  list_pending_cosigner_approvals: { limit: 10 }
}

for (const [name, expected] of Object.entries(defaults)) {
  it(`says what ${name} takes for what is left out`, () => {
    for (const [field, value] of Object.entries(expected)) {
      const found = fields.find((each) => each.operation.name === name && each.name === field)
      assert.deepStrictEqual(found?.schema.default, value, field)
    }
  })
}

it("a change of an endpoint names no defaults, as what is left out stays as it is", () => {
  const changes = fields.filter(({ operation }) => operation.name === "update_merchant_webhook")
  assert.isAbove(changes.length, 4)
  for (const { name, schema } of changes) {
    assert.notProperty(schema, "default", name)
    assert.notInclude(schema.description ?? "", "Default", name)
  }
})
