/**
 * One call over REST, along the route table the service itself is built from. What comes back is told
 * apart by whether it happened: an answer, a refusal, or nothing that could be trusted.
 */
import { Effect, Redacted } from "effect"
import { type Bound, readsQuery } from "../../adapters/http/route.ts"
import type { Connection } from "./connection.ts"
import type { Value } from "./field.ts"

export type Values = ReadonlyMap<string, Value>

export interface Request {
  readonly method: string
  /** Path and query, from the site root. */
  readonly target: string
  readonly body: string | undefined
}

/** Where an operation's values go: into the path, the query or the body. */
export const requestOf = ({ route }: Bound, values: Values): Request => {
  const path = route.path.replaceAll(/:(\w+)/gu, (_, field: string) =>
    encodeURIComponent(values.get(field)?.text ?? "")
  )
  const rest = [...values].filter(([field]) => !route.pathFields.includes(field))
  const inQuery = readsQuery(route.method)
  const pairs: ReadonlyArray<[string, string]> = inQuery
    ? rest.map(([field, { text }]) => [field, text])
    : []
  const action: ReadonlyArray<[string, string]> =
    route.action === undefined ? [] : [["action", route.action]]
  const query = new URLSearchParams([...action, ...pairs]).toString()
  const members = rest.map(([field, { json }]) => `${JSON.stringify(field)}:${json}`)
  return {
    method: route.method,
    target: query === "" ? path : `${path}?${query}`,
    body: inQuery ? undefined : `{${members.join(",")}}`
  }
}

/** The error body of the manual's errors page. */
export interface ErrorBody {
  readonly code: string
  readonly message: string
  readonly param?: string
  readonly outcome?: string
  readonly details?: { readonly retryAfterSeconds?: number }
  readonly next?: {
    readonly operation: string
    readonly args: Readonly<Record<string, unknown>>
    readonly missing?: ReadonlyArray<string>
  }
  readonly requestId?: string
}

export type Reply =
  /** `json` is the data exactly as the service wrote it. */
  | { readonly _tag: "answered"; readonly json: string }
  | { readonly _tag: "refused"; readonly status: number; readonly error: ErrorBody }
  /** Nobody took the call. */
  | { readonly _tag: "unreached"; readonly reason: string }
  /** It was sent, and what came back says nothing about what became of it. */
  | { readonly _tag: "unclear"; readonly reason: string }

const prefix = '{"ok":true,"data":'

const read = (status: number, text: string): Reply => {
  const odd = { _tag: "unclear", reason: `status ${status} without a response of the treasury` }
  let body: { readonly ok?: unknown; readonly data?: unknown; readonly error?: ErrorBody }
  try {
    body = JSON.parse(text)
  } catch {
    return odd as Reply
  }
  if (status === 200 && body?.ok === true) {
    const json = text.startsWith(prefix) ? text.slice(prefix.length, -1) : JSON.stringify(body.data)
    return { _tag: "answered", json }
  }
  return typeof body?.error?.code === "string"
    ? { _tag: "refused", status, error: body.error }
    : (odd as Reply)
}

/** Before any of these a connection stood, and a byte may have gone over it. */
const neverConnected =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*)$/u

const reasonOf = (error: unknown): string => {
  const cause = (
    error as { readonly cause?: { readonly code?: unknown; readonly message?: string } }
  ).cause
  return typeof cause?.code === "string" ? cause.code : (cause?.message ?? (error as Error).name)
}

/** Longer than the longest wait an operation offers. */
const patienceMs = 60_000

export const send = (
  { key, siteUrl }: Connection,
  { body, method, target }: Request,
  idempotencyKey: string | undefined
): Effect.Effect<Reply> =>
  Effect.promise(async (interrupted): Promise<Reply> => {
    const signal = AbortSignal.any([interrupted, AbortSignal.timeout(patienceMs)])
    const headers = {
      authorization: `Bearer ${Redacted.value(key)}`,
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
    }
    try {
      const init = { method, headers, signal, redirect: "manual" as const }
      const response = await fetch(siteUrl + target, body === undefined ? init : { ...init, body })
      return read(response.status, await response.text())
    } catch (error) {
      const reason = reasonOf(error)
      return { _tag: neverConnected.test(reason) ? "unreached" : "unclear", reason }
    }
  })
