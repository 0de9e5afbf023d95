/**
 * How a refusal looks over the network: the one table from its kind to a status, its body, and the
 * refusals only a network can raise. Tools carry the same body.
 */
import type * as Refusal from "../../core/operation/refusal.ts"
import { define } from "../../core/operation/refusal.ts"
import { PaymentRequired } from "../../core/x402/payment-required.ts"

export class InvalidJson extends define("INVALID_JSON", {
  kind: "invalid",
  meaning:
    "The body is not valid JSON in UTF-8, or has a duplicate or forbidden key, which `param` names."
}) {}

export class MethodNotAllowed extends define("METHOD_NOT_ALLOWED", {
  kind: "invalid",
  meaning:
    "The route does not support this method; `Allow` and `details.allowed` list the supported ones."
}) {}

export class Overloaded extends define("OVERLOADED", {
  kind: "unavailable",
  meaning:
    "Too many requests are waiting, or too many responses are not yet read by their clients. Nothing was executed; wait `Retry-After` seconds and use a new connection.",
  retryable: true
}) {}

/** To whoever comes without a key while too many others do. */
export const strangersWait = () =>
  new Overloaded({
    message: "Too many requests without a key are waiting. Try again in a second.",
    details: { retryAfterSeconds: 1 }
  })

/** To whoever calls while too many other calls wait. */
export const keysWait = () =>
  new Overloaded({
    message: "Too many calls are waiting, of this key or of all keys. Try again in a second.",
    details: { retryAfterSeconds: 1 }
  })

export class PayloadTooLarge extends define("PAYLOAD_TOO_LARGE", {
  kind: "invalid",
  meaning:
    "The input is larger than `details.maxBytes`: 64 KiB unless the reference says otherwise."
}) {}

/** The refusal of input that is larger than the operation takes. */
export const tooLarge = (maxBytes: number) =>
  new PayloadTooLarge({
    message: `The input is larger than ${maxBytes / 1024} KiB; split it into several calls.`,
    details: { maxBytes }
  })

export class UnsupportedMediaType extends define("UNSUPPORTED_MEDIA_TYPE", {
  kind: "invalid",
  meaning: "A body must be `application/json` in UTF-8, without a content encoding."
}) {}

export class CrossSiteRequest extends define("CROSS_SITE_REQUEST", {
  kind: "forbidden",
  meaning:
    "The request does not come from a page of the console; the console serves its own pages only."
}) {}

/** Refusals that REST and tools may answer with before an operation is reached. */
export const edge: ReadonlyArray<Refusal.Class> = [
  InvalidJson,
  MethodNotAllowed,
  Overloaded,
  PayloadTooLarge,
  PaymentRequired,
  UnsupportedMediaType
]

const byKind: Readonly<Record<Refusal.Kind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  payment_required: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  mismatch: 422,
  limited: 429,
  internal: 500,
  unavailable: 503
}

/** HTTP has statuses of its own for what its edge refuses. */
const byCode: Readonly<Record<string, number>> = {
  METHOD_NOT_ALLOWED: 405,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415
}

export const statusOf = (code: string, kind: Refusal.Kind): number => byCode[code] ?? byKind[kind]

/** What an answer tells beside the refusal itself. */
export interface Surroundings {
  readonly requestId: string
  readonly siteUrl: string
}

export const docUrl = (siteUrl: string, code: string) => `${siteUrl}/docs/errors#${code}`

const facts = (refusal: Refusal.Refusal, { requestId }: Surroundings) => ({
  ...(refusal.param === undefined ? {} : { param: refusal.param }),
  ...(refusal.details === undefined ? {} : { details: refusal.details }),
  outcome: refusal.outcome ?? "not_executed",
  retryable: refusal.retryable,
  ...(refusal.next === undefined ? {} : { next: refusal.next }),
  requestId
})

/** The body of contract, Errors; tools carry it as `structuredContent`. */
export const body = (refusal: Refusal.Refusal, surroundings: Surroundings) => ({
  ok: false,
  error: {
    code: refusal._tag,
    type: refusal.kind,
    message: refusal.message,
    docUrl: docUrl(surroundings.siteUrl, refusal._tag),
    ...facts(refusal, surroundings)
  }
})

/** The same facts as RFC 9457 tells them; `type` is the code's page there, so the kind is `kind`. */
export const problem = (refusal: Refusal.Refusal, surroundings: Surroundings) => ({
  type: docUrl(surroundings.siteUrl, refusal._tag),
  title: (refusal.constructor as Partial<Refusal.Class>).meaning ?? refusal._tag,
  status: statusOf(refusal._tag, refusal.kind),
  detail: refusal.message,
  code: refusal._tag,
  kind: refusal.kind,
  ...facts(refusal, surroundings)
})

/** Seconds to wait before the same call can succeed, where the refusal knows. */
export const retryAfterSeconds = (refusal: Refusal.Refusal): number | undefined => {
  const seconds = refusal.details?.retryAfterSeconds
  return typeof seconds === "number" ? Math.max(1, Math.ceil(seconds)) : undefined
}
