/**
 * Puts an operation's input together from path, query and body. A path field said again in the query
 * or the body must agree with the path (the spec declares some twice); nothing is dropped in silence.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Scope } from "../../../core/caller.ts"
import * as Operation from "../../../core/operation.ts"
import { InvalidRequest, UnknownField } from "../../../core/refusal.ts"
import { type Bound, type Place, readsQuery } from "../route.ts"
import * as Body from "./body.ts"
import * as Query from "./query.ts"

export type PathFields = Readonly<Record<string, string | undefined>>
type Parameters = ReadonlyMap<string, string>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The operation that `?action=` means. A wrong action names the parameter, where 404 would blame the id. */
export const choose = (
  place: Place,
  parameters: Parameters
): Effect.Effect<Bound, InvalidRequest> => {
  const action = readsQuery(place.method) ? undefined : parameters.get("action")
  const chosen = place.bound.find(({ route }) => route.action === action)
  if (chosen !== undefined) return Effect.succeed(chosen)
  const allowed = place.bound.flatMap(({ route }) => route.action ?? [])
  return Effect.fail(
    new InvalidRequest({
      param: "action",
      message:
        allowed.length === 0
          ? "Nothing here takes an action; leave it out."
          : `Name the action in the query: ${allowed.map((name) => `?action=${name}`).join(", ")}.`,
      details: { allowed }
    })
  )
}

const withPath = Effect.fnUntraced(function* (
  { route }: Bound,
  path: PathFields,
  rest: Readonly<Record<string, unknown>>
) {
  if (route.pathFields.length === 0) return rest
  const input: Record<string, unknown> = { ...rest }
  for (const field of route.pathFields) {
    if (Object.hasOwn(rest, field) && rest[field] !== path[field]) {
      return yield* new InvalidRequest({
        param: field,
        message: `"${field}" differs from the one in the path; send it once, or the same.`
      })
    }
    input[field] = path[field]
  }
  return input
})

const fromQuery = ({ queryKinds }: Bound, parameters: Parameters) => {
  const rest: Record<string, unknown> = {}
  for (const [name, text] of parameters) rest[name] = Query.coerce(queryKinds.get(name), text)
  return rest
}

/** A write takes from the query its action, and path fields said again; anything else is unknown there. */
const checkWriteQuery = Effect.fnUntraced(function* (
  { operation, route }: Bound,
  path: PathFields,
  parameters: Parameters
) {
  for (const [name, text] of parameters) {
    if (name === "action" && route.action !== undefined) continue
    if (!route.pathFields.includes(name)) {
      return yield* new UnknownField({
        param: name,
        message: `${operation.name} takes its fields from the body; "${name}" is not read from the query.`
      })
    }
    if (text !== path[name]) {
      return yield* new InvalidRequest({
        param: name,
        message: `"${name}" differs from the one in the path; send it once, or the same.`
      })
    }
  }
})

/** More than usual is read only for a key that may call the operation. */
export const maxBytesFor = (operation: Operation.Any, scopes: ReadonlySet<Scope>): number =>
  scopes.has(operation.scope) ? operation.maxBodyBytes : Operation.defaultMaxBodyBytes

export const read = Effect.fnUntraced(function* (
  bound: Bound,
  scopes: ReadonlySet<Scope>,
  request: HttpServerRequest.HttpServerRequest,
  path: PathFields,
  parameters: Parameters
) {
  if (readsQuery(bound.route.method)) {
    if (Body.follows(request)) {
      return yield* new InvalidRequest({
        message: `${bound.operation.name} takes its fields from the query; send no body.`
      })
    }
    return yield* withPath(bound, path, fromQuery(bound, parameters))
  }
  yield* checkWriteQuery(bound, path, parameters)
  const body = yield* Body.read(request, maxBytesFor(bound.operation, scopes))
  return isObject(body) ? yield* withPath(bound, path, body) : body
})
