/**
 * Puts an operation's input together from path, query and body. A path field said again in the query
 * or the body must agree with the path (the spec declares some twice); nothing is dropped in silence.
 */
import { Effect } from "effect"
import type { Scope } from "../../../core/operation/caller.ts"
import * as Operation from "../../../core/operation/operation.ts"
import { InvalidRequest, type RateLimited, UnknownField } from "../../../core/operation/refusal.ts"
import { type Bound, readsQuery, type ServedRoute } from "../route.ts"
import type { Readable } from "../surface/exchange.ts"
import * as Body from "./body.ts"
import * as Query from "./query.ts"

export type PathFields = Readonly<Record<string, string | undefined>>
type Parameters = ReadonlyMap<string, string>

/** Whether two values of a field that differ name the same thing; asked only when they differ. */
export type Agrees<R> = (
  field: string,
  inPath: string | undefined,
  again: unknown
) => Effect.Effect<boolean, RateLimited, R>

const differs = (field: string) =>
  new InvalidRequest({
    param: field,
    message: `"${field}" differs from the value in the path; send the same value, or omit it.`
  })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The operation that `?action=` means. A wrong action names the parameter, where 404 would blame the id. */
export const choose = (
  place: ServedRoute,
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
          ? "This route has no actions; omit the action parameter."
          : `Send the action in the query: ${allowed.map((name) => `?action=${name}`).join(", ")}.`,
      details: { allowed }
    })
  )
}

const withPath = <R>(
  bound: Bound,
  path: PathFields,
  rest: Readonly<Record<string, unknown>>,
  agrees: Agrees<R>
) =>
  bound.route.pathFields.length === 0 ? Effect.succeed(rest) : withFields(bound, path, rest, agrees)

const withFields = Effect.fnUntraced(function* <R>(
  { route }: Bound,
  path: PathFields,
  rest: Readonly<Record<string, unknown>>,
  agrees: Agrees<R>
) {
  const input: Record<string, unknown> = { ...rest }
  for (const field of route.pathFields) {
    const isAgain = Object.hasOwn(rest, field) && rest[field] !== path[field]
    if (isAgain && !(yield* agrees(field, path[field], rest[field]))) return yield* differs(field)
    input[field] = path[field]
  }
  return input
})

const fromQuery = ({ operation }: Bound, parameters: Parameters) => {
  const rest: Record<string, unknown> = {}
  if (parameters.size === 0) return rest
  const kinds = Query.kindsOf(operation)
  for (const [name, text] of parameters) rest[name] = Query.coerce(kinds.get(name), text)
  return rest
}

/** A write takes from the query its action, and path fields said again; anything else is unknown there. */
const checkWriteQuery = Effect.fnUntraced(function* <R>(
  { operation, route }: Bound,
  path: PathFields,
  parameters: Parameters,
  agrees: Agrees<R>
) {
  for (const [name, text] of parameters) {
    if (name === "action" && route.action !== undefined) continue
    if (!route.pathFields.includes(name)) {
      return yield* new UnknownField({
        param: name,
        message: `${operation.name} takes its fields from the body; "${name}" is not read from the query.`
      })
    }
    if (text !== path[name] && !(yield* agrees(name, path[name], text))) return yield* differs(name)
  }
})

/** More than usual is read only for a key that may call the operation. */
export const maxBytesFor = (operation: Operation.Any, scopes: ReadonlySet<Scope>): number =>
  scopes.has(operation.scope) ? operation.maxBodyBytes : Operation.defaultMaxBodyBytes

const fromBody = Effect.fnUntraced(function* <R>(
  bound: Bound,
  scopes: ReadonlySet<Scope>,
  request: Readable,
  path: PathFields,
  parameters: Parameters,
  agrees: Agrees<R>
) {
  yield* checkWriteQuery(bound, path, parameters, agrees)
  const body = yield* Body.read(request, maxBytesFor(bound.operation, scopes))
  return isObject(body) ? yield* withPath(bound, path, body, agrees) : body
})

const bodyUnasked = ({ operation }: Bound) =>
  new InvalidRequest({
    message: `${operation.name} takes its fields from the query; send no body.`
  })

export const read = <R>(
  bound: Bound,
  scopes: ReadonlySet<Scope>,
  request: Readable,
  path: PathFields,
  parameters: Parameters,
  agrees: Agrees<R>
) => {
  if (!readsQuery(bound.route.method)) {
    return fromBody(bound, scopes, request, path, parameters, agrees)
  }
  return Body.follows(request)
    ? Effect.fail(bodyUnasked(bound))
    : withPath(bound, path, fromQuery(bound, parameters), agrees)
}
