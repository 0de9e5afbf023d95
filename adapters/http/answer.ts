/**
 * Writes answers: the envelope of a success, the body of a refusal, and the headers that tell a caller
 * what is left of its rate limit and when to come back.
 */
import type { HttpServerResponse } from "effect/http"
import type { InvocationResult } from "../../core/operation/invocation-result.ts"
import type * as Operation from "../../core/operation/operation.ts"
import type { Allowance } from "../../core/operation/rate-limit.ts"
import type { Refusal } from "../../core/operation/refusal.ts"
import * as Refusals from "./refusals.ts"
import { type Reply, type Request, response } from "./surface/exchange.ts"

type Headers = Readonly<Record<string, string>>

/** What of a request an answer depends on; one that came by the router of pages has it too. */
type Asking = Pick<Request, "headers">

type TextReply = Reply & { readonly body: string }

const json = "application/json"
const problemJson = "application/problem+json"

/** The rate limit as draft-ietf-httpapi-ratelimit-headers-10 writes it; a key's rate limits are per minute. */
export const rateLimitHeaders = (
  { rateLimit }: Pick<Operation.Any, "rateLimit">,
  allowance: Allowance | undefined
): Headers => {
  if (allowance === undefined) return {}
  return {
    ratelimit: `"${rateLimit}";r=${Math.max(0, allowance.remaining)};t=${allowance.resetSeconds}`,
    "ratelimit-policy": `"${rateLimit}";q=${allowance.limit};w=60`
  }
}

/** The same of a rate limit that is spent, whoever's it is: the refusal knows which. */
const spentHeaders = ({ details, kind }: Refusal): Headers => {
  if (kind !== "limited" || typeof details?.rateLimit !== "string") return {}
  const { rateLimit, limit, retryAfterSeconds, windowSeconds } = details
  const left = typeof retryAfterSeconds === "number" ? `;t=${retryAfterSeconds}` : ""
  const window = typeof windowSeconds === "number" ? `;w=${windowSeconds}` : ""
  return {
    ratelimit: `"${rateLimit}";r=0${left}`,
    "ratelimit-policy": `"${rateLimit}";q=${limit}${window}`
  }
}

/** A request that offered no key is told which scheme to use and no error (RFC 6750, section 3.1). */
const bearerChallenge = ({ headers }: Asking): string =>
  /^bearer\b/iu.test(headers.authorization ?? "") ? 'Bearer error="invalid_token"' : "Bearer"

/** Headers that follow from the refusal, and from whether the request offered a key. */
export const refusalHeaders = (request: Asking, refusal: Refusal): Headers => {
  const seconds = Refusals.retryAfterSeconds(refusal)
  const allowed = refusal._tag === "METHOD_NOT_ALLOWED" ? refusal.details?.allowed : undefined
  return {
    ...spentHeaders(refusal),
    ...(seconds === undefined ? {} : { "retry-after": String(seconds) }),
    ...(Array.isArray(allowed) ? { allow: allowed.join(", ") } : {}),
    // The place of a connection that is refused goes to somebody who reads.
    ...(refusal._tag === "OVERLOADED" ? { connection: "close" } : {}),
    ...(refusal.kind === "unauthenticated" ? { "www-authenticate": bearerChallenge(request) } : {})
  }
}

const wantsProblem = ({ headers }: Asking): boolean =>
  headers.accept?.includes(problemJson) ?? false

// A fact in `details` may be a bigint, which JSON writes as its digits.
const plain = (_: string, value: unknown) => (typeof value === "bigint" ? value.toString() : value)

/** The JSON text of an error body. */
export const text = (body: object): string => JSON.stringify(body, plain)

/** What a refusal is told with. */
export const refusal = (
  request: Asking,
  refusal: Refusal,
  surroundings: Refusals.Surroundings,
  headers: Headers = {}
): TextReply => {
  const asProblem = wantsProblem(request)
  const body = asProblem
    ? Refusals.problem(refusal, surroundings)
    : Refusals.body(refusal, surroundings)
  return {
    status: Refusals.statusOf(refusal._tag, refusal.kind),
    headers: {
      "content-type": asProblem ? problemJson : json,
      ...headers,
      ...refusalHeaders(request, refusal)
    },
    body: text(body)
  }
}

/** What an operation's answer is told with. */
export const reply = (
  request: Asking,
  operation: Operation.Any,
  answer: InvocationResult,
  surroundings: Refusals.Surroundings
): TextReply => {
  const limits = rateLimitHeaders(operation, answer.allowance)
  if (!answer.ok) return refusal(request, answer.refusal, surroundings, limits)
  const headers = answer.replayed ? { ...limits, "idempotent-replayed": "true" } : limits
  return {
    status: 200,
    headers: { "content-type": json, ...headers },
    body: JSON.stringify({ ok: true, data: answer.output })
  }
}

/** The same two for the router of pages. */
export const refused = (
  ...told: Parameters<typeof refusal>
): HttpServerResponse.HttpServerResponse => response(refusal(...told))

export const of = (...told: Parameters<typeof reply>): HttpServerResponse.HttpServerResponse =>
  response(reply(...told))
