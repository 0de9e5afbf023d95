/** The reference page: every operation of the catalogue with its route, its fields, its refusals and a call. */
import { type JsonSchema, ofInput, ofOutput } from "../../adapters/http/manual/json-schema.ts"
import type { Bound } from "../../adapters/http/route.ts"
import type { SideEffect } from "../../core/operation/definition.ts"
import * as Operation from "../../core/operation/operation.ts"
import * as Refusal from "../../core/operation/refusal.ts"
import * as Example from "./example.ts"
import { type Elsewhere, type Field, fieldsOf } from "./field.ts"
import { code, fence, generated, page, table } from "./markdown.ts"

const sideEffect: Readonly<Record<SideEffect, string>> = {
  read: "read: changes nothing",
  write: "write: changes records; takes an idempotency key",
  money: "money: moves funds; takes an idempotency key"
}

const shapeOf = (schema: JsonSchema): string =>
  JSON.stringify([schema.properties, [...(schema.required ?? [])].sort()])

/** The first operation that answers with each shape; the others, and lists of it, refer to that one. */
const shapes = (all: ReadonlyArray<Bound>): ReadonlyMap<string, string> =>
  new Map(
    all.map(({ operation }) => [shapeOf(ofOutput(operation)), operation.name] as const).reverse()
  )

const linked = (name: string): string => `[${code(name)}](#${name})`

const refusalLinks = (classes: ReadonlyArray<Refusal.Class>): string =>
  classes.map(({ code: name }) => `[${code(name)}](errors.md#${name})`).join(", ")

const inputTable = (fields: ReadonlyArray<Field>): string =>
  fields.length === 0
    ? "Takes no input."
    : table(
        ["Field", "Type", "Required", "Limits", "Meaning"],
        fields.map((field) => [
          code(field.path),
          field.type,
          field.required ? "yes" : "no",
          field.limits,
          field.meaning
        ])
      )

const outputTable = (fields: ReadonlyArray<Field>): string =>
  table(
    ["Field", "Type", "Values", "Meaning"],
    fields.map((field) => [
      code(field.path),
      field.required ? field.type : `${field.type}, optional`,
      field.limits,
      field.meaning
    ])
  )

const output = (operation: Operation.Any, first: ReadonlyMap<string, string>): string => {
  const schema = ofOutput(operation)
  const owner = first.get(shapeOf(schema))
  if (owner !== undefined && owner !== operation.name) return `The same as ${linked(owner)}.`
  const elsewhere: Elsewhere = (inner) => {
    const name = first.get(shapeOf(inner))
    return name === undefined ? undefined : `The same fields as ${linked(name)} returns.`
  }
  return outputTable(fieldsOf(schema, elsewhere))
}

const secrets = (operation: Operation.Any): string | undefined =>
  operation.secrets.length === 0
    ? undefined
    : `${operation.secrets.map(code).join(", ")} is shown once. A repeated call with the same idempotency key returns it for 24 hours; then it is erased and \`secretAvailable\` is false.`

/** Said only of the few that take more than the rest. */
const maxBody = ({ maxBodyBytes }: Operation.Any): string | undefined =>
  maxBodyBytes === Operation.defaultMaxBodyBytes
    ? undefined
    : `The input can be up to ${maxBodyBytes / 1024} KiB of JSON.`

const entry = (bound: Bound, first: ReadonlyMap<string, string>, siteUrl: string): string => {
  const { operation, route } = bound
  const action = route.action === undefined ? "" : `?action=${route.action}`
  return page([
    `<a id="${operation.name}"></a>\n\n## ${operation.name}`,
    operation.summary,
    table(
      ["REST", "Tool", "Scope", "Effect", "Rate limit"],
      [
        [
          code(`${route.method} ${route.path}${action}`),
          code(operation.name),
          code(operation.scope),
          sideEffect[operation.sideEffect],
          operation.rateLimit
        ]
      ]
    ),
    `**Next:** ${operation.next}`,
    "**Input**",
    inputTable(fieldsOf(ofInput(operation))),
    maxBody(operation),
    "**Output**",
    output(operation, first),
    secrets(operation),
    operation.refusals.length === 0
      ? "**Errors:** those of [every operation](#errors-of-every-operation)."
      : `**Errors:** ${refusalLinks(operation.refusals)}, and those of [every operation](#errors-of-every-operation).`,
    Example.curl(bound, siteUrl),
    fence("json", JSON.stringify(Example.toolCall(operation)))
  ]).trimEnd()
}

const preface = (siteUrl: string): ReadonlyArray<string> => [
  generated("the catalogue, `core/treasury/operations.ts`"),
  "# Operations",
  "Every operation is a REST route, a JSON-RPC tool of the same name, and a function, with the same input, output and errors.",
  [
    `- **REST** answers \`{ "ok": true, "data": … }\` with status 200, or \`{ "ok": false, "error": … }\` (see [errors](errors.md)). GET and DELETE take their fields from the query, all other methods from a JSON body; fields written as \`:name\` are in the path. An unknown field is an error, and so is a body above ${Operation.defaultMaxBodyBytes / 1024} KiB unless the operation allows more.`,
    `- **Tools** are at \`${siteUrl}/api/mcp\`: POST a JSON-RPC 2.0 message, \`tools/list\` or \`tools/call\`, with the same bearer key. The answer's \`structuredContent\` is what REST has under \`data\`. Give every message an \`id\`: by JSON-RPC one without is a notification, so nothing is done for it and 202 with no body is all that comes back.`,
    "- **Keys**: send `Authorization: Bearer <key>`. The key needs the scope of the operation.",
    "- **Idempotency**: send your own key with a write, as the `Idempotency-Key` header or the `idempotencyKey` argument, and the same one when you retry. The call is then executed once.",
    "- **Lists** return the newest rows first, with `hasMore` and `nextCursor`; pass `nextCursor` back as `cursor`."
  ].join("\n"),
  `<a id="errors-of-every-operation"></a>\n\nEvery operation can also return ${refusalLinks(Refusal.universal)}.`
]

export const reference = (all: ReadonlyArray<Bound>, siteUrl: string): string => {
  const first = shapes(all)
  return page([
    ...preface(siteUrl),
    table(
      ["Operation", "REST", "What it does"],
      all.map(({ operation, route }) => [
        linked(operation.name),
        code(
          `${route.method} ${route.path}${route.action === undefined ? "" : `?action=${route.action}`}`
        ),
        operation.summary
      ])
    ),
    ...all.map((bound) => entry(bound, first, siteUrl))
  ])
}
