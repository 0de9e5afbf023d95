/** One operation asked for over each surface, its answer in one shape, so that surfaces can be compared. */
import { Effect } from "effect"
import * as Refusals from "../../adapters/http/refusals.ts"
import { parse, readsQuery } from "../../adapters/http/route.ts"
import { routes } from "../../adapters/http/routes.ts"
import type { Facts as CallerFacts } from "../../core/operation/caller.ts"
import type { Refusal } from "../../core/operation/refusal.ts"
import type { Name } from "../../core/treasury/operations.ts"
import { type CallOptions, callsOf, type Needs } from "../../core/treasury/treasury.ts"
import { siteUrl } from "./small-treasury.ts"
import { callTool, fetched, type Reply } from "./surfaces.ts"

export type Fields = Readonly<Record<string, unknown>>

export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly outcome: string
  readonly param?: string
  readonly requestId: string
}

/** What was said, whoever carried it; the status as REST has it, and as it would have it. */
export type Said =
  | { readonly ok: true; readonly status: 200; readonly data: unknown }
  | { readonly ok: false; readonly status: number; readonly error: ErrorBody }

/** An object may bring a `toString` that is no function. */
const textOf = (value: unknown) =>
  typeof value === "object" ? JSON.stringify(value) : String(value)

const queryOf = (fields: Fields) => {
  const pairs = Object.entries(fields).map(([name, value]): [string, string] => [
    name,
    textOf(value)
  ])
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs)}`
}

const saidOverRest = ({ status, body }: Reply): Said =>
  body.ok ? { ok: true, status: 200, data: body.data } : { ok: false, status, error: body.error }

/** Where an operation is asked for over REST, with the fields that are not in the path left over. */
export const placeOf = (name: Name, input: Fields) => {
  const { action, method, path, pathFields } = parse(routes[name])
  const filled = path.replace(/:(\w+)/gu, (_, field) => encodeURIComponent(String(input[field])))
  const rest = Object.entries(input).filter(([field]) => !pathFields.includes(field))
  return { action, method, path: filled, pathFields, rest: Object.fromEntries(rest) }
}

export const overRest = Effect.fnUntraced(function* (
  name: Name,
  input: Fields,
  key: string,
  idempotencyKey?: string
) {
  const { action, method, path, rest } = placeOf(name, input)
  const acting = action === undefined ? {} : { action }
  const headers = {
    authorization: `Bearer ${key}`,
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
  }
  if (readsQuery(method)) {
    const address = path + queryOf({ ...rest, ...acting })
    return saidOverRest(yield* fetched(address, { method, headers }))
  }
  const asJson = { headers: { ...headers, "content-type": "application/json" } }
  const body = JSON.stringify(rest)
  return saidOverRest(yield* fetched(path + queryOf(acting), { method, ...asJson, body }))
})

/** A message that is no JSON is refused before any tool is; the fault is told as its refusal would be. */
export const overTools = Effect.fnUntraced(function* (name: Name, input: Fields, key: string) {
  const { body } = yield* callTool(name, input, key)
  if (body.error !== undefined) {
    return { ok: false, status: 400, error: { ...body.error, code: "INVALID_JSON" } } as Said
  }
  const { isError, structuredContent } = body.result
  return (
    isError
      ? { ok: false, status: statusOf(structuredContent.error), error: structuredContent.error }
      : { ok: true, status: 200, data: structuredContent }
  ) as Said
})

const statusOf = ({ code, type }: { readonly code: string; readonly type: Refusal["kind"] }) =>
  Refusals.statusOf(code, type)

type AnyCall = (input: unknown, options?: CallOptions) => Effect.Effect<unknown, Refusal, Needs>

export const asFunction = (
  name: Name,
  input: unknown,
  caller: CallerFacts
): Effect.Effect<Said, never, Needs> =>
  // The input is whatever the test says; the operation checks it.
  (callsOf(caller)[name] as AnyCall)(input).pipe(
    Effect.map((data): Said => ({ ok: true, status: 200, data })),
    Effect.catch((refusal) => {
      const { error } = Refusals.body(refusal, { requestId: "", siteUrl })
      return Effect.succeed<Said>({ ok: false, status: statusOf(error), error })
    })
  )
