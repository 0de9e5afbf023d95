/**
 * The OpenAPI 3.1 document, built from the catalogue and the route table alone, so that it cannot tell
 * of anything that is not served. Operations that share an address are one entry that names them all.
 */
import * as Refusal from "../../../core/operation/refusal.ts"
import * as Refusals from "../refusals.ts"
import { aliased, type Bound, bound, readsQuery, type ServedRoute, servedRoutes } from "../route.ts"
import { errorBody, type JsonSchema, ofInput, ofOutput } from "./json-schema.ts"
import { planHeaders, planPaths, planRefusals } from "./plans.ts"
import { problem } from "./problem.ts"
import { rateLimit, refused } from "./refused.ts"

type Node = Readonly<Record<string, unknown>>

const isWrite = ({ operation }: Bound) => operation.sideEffect !== "read"

/** Every refusal class an operation may answer with over REST, once each. */
export const refusalsOf = (one: Bound): ReadonlyArray<Refusal.Class> => {
  const idempotency: ReadonlyArray<Refusal.Class> = [
    Refusal.IdempotencyInProgress,
    Refusal.IdempotencyKeyReused
  ]
  const bodies = [Refusals.InvalidJson, Refusals.PayloadTooLarge, Refusals.UnsupportedMediaType]
  return [
    ...new Set<Refusal.Class>([
      ...Refusal.universal.filter((each) => isWrite(one) || !idempotency.includes(each)),
      Refusal.NotFound,
      ...one.operation.refusals,
      Refusals.Overloaded,
      ...(readsQuery(one.route.method) ? [] : bodies)
    ])
  ]
}

/** What an address belongs to: its first part below the API's own. */
export const roomOf = ({ path }: Pick<ServedRoute, "path">): string =>
  path.replace(/^\/api\/(v1\/)?/u, "").split("/")[0] ?? ""

const descriptionOf = (one: Bound): string =>
  [
    one.operation.summary,
    `Next: ${one.operation.next}`,
    `Needs the scope \`${one.operation.scope}\`.`
  ].join("\n\n")

/** Bodies of two actions may be alike, so that one value fits both. */
const merge = (schemas: ReadonlyArray<JsonSchema>): JsonSchema => {
  const anyOf = [...new Map(schemas.map((each) => [JSON.stringify(each), each])).values()]
  return anyOf.length === 1 ? { ...anyOf[0] } : { anyOf }
}

const exampleOf = ({ operation: { example } }: Bound, field: string): Node =>
  example.input[field] === undefined ? {} : { example: example.input[field] }

/** The specification declares these again in the query, as required; they are answered without it too. */
const saidTwice: ReadonlyArray<string> = ["get_payment_request"]

const fieldParameters = (one: Bound): ReadonlyArray<Node> => {
  const { properties = {}, required = [] } = ofInput(one.operation)
  const { method, pathFields } = one.route
  const inPath = pathFields.map((name) => ({
    name,
    in: "path",
    required: true,
    schema: properties[name] ?? {},
    ...exampleOf(one, name)
  }))
  if (!readsQuery(method)) return inPath
  const inQuery = Object.entries(properties).map(([name, schema]) => {
    const again = pathFields.includes(name)
    const { description, ...rest } = schema
    const isRequired = required.includes(name) && (!again || saidTwice.includes(one.operation.name))
    const text = again
      ? `The same value as in the path.${isRequired ? "" : " Optional."}`
      : description
    return {
      name,
      in: "query",
      required: isRequired,
      ...(text === undefined ? {} : { description: text }),
      schema: rest,
      ...(again ? {} : exampleOf(one, name))
    }
  })
  return [...inPath, ...inQuery]
}

const idempotencyKey: Node = { $ref: "#/components/parameters/IdempotencyKey" }

const parametersOf = (place: ServedRoute): ReadonlyArray<Node> => {
  const [first] = place.bound
  const actions = place.bound.flatMap(({ route }) => route.action ?? [])
  return [
    ...(first === undefined ? [] : fieldParameters(first)),
    ...(actions.length === 0
      ? []
      : [
          {
            name: "action",
            in: "query",
            required: true,
            description: "What to do next.",
            schema: { type: "string", enum: actions }
          }
        ]),
    ...(place.bound.some(isWrite) ? [idempotencyKey] : [])
  ]
}

/** Path fields may be said again in the body, so they stand there too, never required. */
const bodySchema = ({ operation, route }: Bound): JsonSchema => {
  const schema = ofInput(operation)
  const required = (schema.required ?? []).filter((name) => !route.pathFields.includes(name))
  const { required: _, ...rest } = schema
  return { ...rest, ...(required.length === 0 ? {} : { required }) }
}

const bodyExample = ({ operation, route }: Bound): Node =>
  Object.fromEntries(
    Object.entries(operation.example.input).filter(([name]) => !route.pathFields.includes(name))
  )

const requestBody = (place: ServedRoute): Node => {
  if (readsQuery(place.method)) return {}
  const schemas = place.bound.map(bodySchema)
  const [first] = place.bound
  const maxBodyBytes = Math.max(...place.bound.map(({ operation }) => operation.maxBodyBytes))
  return {
    requestBody: {
      description: `At most ${maxBodyBytes / 1024} KiB.`,
      required: schemas.every(({ required }) => required !== undefined),
      "x-max-body-bytes": maxBodyBytes,
      content: {
        "application/json": {
          schema: merge(schemas),
          ...(place.bound.length === 1 && first !== undefined
            ? { example: bodyExample(first) }
            : {})
        }
      }
    }
  }
}

const success = (place: ServedRoute): Node => ({
  description: "Done.",
  headers: {
    "X-Request-Id": { $ref: "#/components/headers/RequestId" },
    ...rateLimit,
    ...(place.bound.some(isWrite)
      ? { "Idempotent-Replayed": { $ref: "#/components/headers/IdempotentReplayed" } }
      : {})
  },
  content: {
    "application/json": {
      schema: {
        type: "object",
        required: ["ok", "data"],
        properties: {
          ok: { type: "boolean", enum: [true] },
          data: merge(place.bound.map(({ operation }) => ofOutput(operation)))
        }
      }
    }
  }
})

const responsesOf = (place: ServedRoute): Node => {
  const classes = [...new Set(place.bound.flatMap(refusalsOf))]
  const byStatus = Map.groupBy(classes, ({ code, kind }) => Refusals.statusOf(code, kind))
  return {
    "200": success(place),
    ...Object.fromEntries(
      [...byStatus]
        .toSorted(([a], [b]) => a - b)
        .map(([status, classes]) => [String(status), refused(classes, true)])
    )
  }
}

const entryOf = (place: ServedRoute): Node => {
  const names = place.bound.map(({ operation }) => operation.name)
  const scopes = new Set(place.bound.map(({ operation }) => operation.scope))
  return {
    // Unique in the document, as it must be.
    operationId:
      names.join("__") + (place.bound.some((one) => aliased.includes(one)) ? "_alias" : ""),
    summary: place.bound.map(({ operation }) => operation.summary).join(" "),
    description: place.bound
      .map((one) =>
        one.route.action === undefined
          ? descriptionOf(one)
          : `**${one.route.action}**: ${descriptionOf(one)}`
      )
      .join("\n\n"),
    tags: [roomOf(place)],
    "x-operations": names,
    "x-required-scope": [...scopes].join(" "),
    parameters: parametersOf(place),
    ...requestBody(place),
    responses: responsesOf(place)
  }
}

const paths = (): Node =>
  Object.fromEntries(
    [...Map.groupBy(servedRoutes, ({ path }) => path)].map(([path, here]) => [
      path.replaceAll(/:(\w+)/gu, "{$1}"),
      Object.fromEntries(here.map((place) => [place.method.toLowerCase(), entryOf(place)]))
    ])
  )

const header = (description: string, schema: JsonSchema = { type: "string" }): Node => ({
  description,
  schema
})

/** Every refusal class that REST answers with, plans for sale included, by code. */
export const served = (): ReadonlyArray<Refusal.Class> =>
  [...new Set([...bound.flatMap(refusalsOf), ...planRefusals, ...Refusals.edge])].toSorted(
    (a, b) => (a.code < b.code ? -1 : 1)
  )

const errorResponse = (): JsonSchema => {
  const error = errorBody.properties?.error
  const codes = served().map((each) => each.code)
  const code = { ...error?.properties?.code, "x-known-codes": codes }
  return {
    ...errorBody,
    properties: {
      ...errorBody.properties,
      error: { ...error, properties: { ...error?.properties, code } }
    }
  }
}

const components = (): Node => ({
  securitySchemes: {
    bearer: {
      type: "http",
      scheme: "bearer",
      description: "An API key, `svc_hu_…` of a developer or `svc_ag_…` of an agent."
    }
  },
  parameters: {
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      required: false,
      description: "Send the same one when you retry; the call is then executed once.",
      schema: {
        type: "string",
        minLength: 1,
        maxLength: 255,
        pattern: "^[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?$"
      }
    }
  },
  headers: {
    RequestId: header("Quote it when you ask about this request."),
    RateLimit: header(
      'Calls left in this class and the seconds until the limit resets: `"reads";r=599;t=30`. On 429 it names the limit that was reached: the key\'s or, like `"failed_keys"`, the client address\'s.'
    ),
    RateLimitPolicy: header('The rate limit and its window in seconds: `"reads";q=600;w=60`.'),
    RetryAfter: header("Seconds to wait.", { type: "integer" }),
    IdempotentReplayed: header("`true` if this is the stored response of an earlier call."),
    ...planHeaders
  },
  schemas: {
    ErrorResponse: errorResponse(),
    Problem: problem
  }
})

/** The document of the installation at this address. */
export const document = (siteUrl: string): Node => ({
  openapi: "3.1.0",
  info: {
    title: "Bursar treasury",
    version: "1.0.0",
    description:
      "A self-hosted USDC treasury. Every operation here is also a tool of the same name at `/api/mcp`. An error is an `ErrorResponse`; a request with `Accept: application/problem+json` gets the same facts as a `Problem` of RFC 9457 instead.",
    license: { name: "Apache 2.0", identifier: "Apache-2.0" }
  },
  servers: [{ url: siteUrl }],
  security: [{ bearer: [] }],
  tags: [...new Set(servedRoutes.map(roomOf))].map((name) => ({ name })),
  paths: { ...paths(), ...planPaths((classes) => refused(classes)) },
  components: components()
})
