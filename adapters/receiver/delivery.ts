/**
 * A webhook as it was received, and what must hold of it beside its signature. Both verifiers judge by this, so
 * they refuse the same deliveries in the same words.
 */
import type { WebhookEvent } from "./event.ts"

/** Why a delivery is not genuine: `outside_tolerance` may be a wrong clock, `signature_mismatch` a wrong secret. */
export type VerificationFailure =
  | "missing_header"
  | "malformed_header"
  | "outside_tolerance"
  | "signature_mismatch"
  | "malformed_body"

/** Thrown if a delivery is not genuine. Answer it with 400 and do nothing else. */
export class WebhookVerificationError extends Error {
  override readonly name = "WebhookVerificationError"
  readonly reason: VerificationFailure

  constructor(reason: VerificationFailure, message: string) {
    super(message)
    this.reason = reason
  }
}

/** `Headers` of fetch, or the headers record of Node; names in any case. */
export type WebhookHeaders =
  | Headers
  | Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A webhook as it was received. */
export interface Delivery {
  /** The body as it came, before any JSON parser: one changed byte and it does not verify. */
  readonly body: string | Uint8Array
  readonly headers: WebhookHeaders
  /** The whole `whsec_…` text of the endpoint. */
  readonly secret: string
  /** The present time in Unix seconds; the machine's clock when left out. */
  readonly nowSeconds?: number
  /** How old or how far ahead a timestamp may be. */
  readonly toleranceSeconds?: number
}

const refuse = (reason: VerificationFailure, message: string) =>
  new WebhookVerificationError(reason, message)

/** Told by shape, as a program may hold more than one class of that name. */
const isFetchHeaders = (headers: WebhookHeaders): headers is Headers =>
  typeof headers.get === "function"

/** All values of a header, whatever the case it was written in. */
const valuesOf = (headers: WebhookHeaders, name: string): ReadonlyArray<string> => {
  if (isFetchHeaders(headers)) {
    const value = headers.get(name)
    return value === null ? [] : [value]
  }
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
}

/** A header sent twice is refused: which of the two was meant is anybody's guess. */
const headerOf = (headers: WebhookHeaders, name: string): string | undefined => {
  const [value, ...others] = valuesOf(headers, name)
  if (others.length > 0) throw refuse("malformed_header", `${name} was sent more than once.`)
  return value
}

const required = (headers: WebhookHeaders, name: string): string => {
  const value = headerOf(headers, name)
  if (value === undefined || value === "") throw refuse("missing_header", `${name} is missing.`)
  return value
}

const timestampForm = /^(?:0|[1-9]\d{0,11})$/u
const entryForm = /^[a-z0-9]+=[^\s=]+$/u
const signatureForm = /^v1=([0-9a-f]{64})$/u

const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16))

/** While a secret is rotated there are several; other versions than v1 are passed over. */
const signaturesOf = (header: string): ReadonlyArray<Uint8Array<ArrayBuffer>> => {
  const entries = header.split(",")
  const signatures = entries.flatMap((entry) => {
    const hex = signatureForm.exec(entry)?.[1]
    return hex === undefined ? [] : [bytesOf(hex)]
  })
  if (signatures.length === 0 || !entries.every((entry) => entryForm.test(entry))) {
    throw refuse("malformed_header", "svc-webhook-signature must have the form v1=<hex>.")
  }
  return signatures
}

const parsed = (body: string | Uint8Array): unknown => {
  try {
    return JSON.parse(
      typeof body === "string"
        ? body
        : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body)
    )
  } catch {
    throw refuse("malformed_body", "The signature is valid, but the body is not JSON.")
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The signature speaks for the fields; what is checked is that this is an event or a notice at all. */
const isEvent = (value: unknown): value is WebhookEvent =>
  isRecord(value) &&
  (value.object === "event" || value.object === "notice") &&
  typeof value.id === "string" &&
  typeof value.type === "string" &&
  typeof value.created === "number" &&
  isRecord(value.data) &&
  isRecord(value.data.object)

/** What was signed with what, and by which of several signatures. */
export interface Claim {
  readonly secret: string
  /** Stands before the body in what was signed. */
  readonly prefix: string
  readonly signatures: ReadonlyArray<Uint8Array<ArrayBuffer>>
}

/** What a delivery claims, or a `WebhookVerificationError`. */
export const claimOf = (delivery: Delivery): Claim => {
  const { headers, secret, toleranceSeconds = 300 } = delivery
  const timestamp = required(headers, "svc-webhook-timestamp")
  const signatures = signaturesOf(required(headers, "svc-webhook-signature"))
  if (!timestampForm.test(timestamp)) {
    throw refuse("malformed_header", "svc-webhook-timestamp must be a number of Unix seconds.")
  }
  const nowSeconds = delivery.nowSeconds ?? Math.floor(Date.now() / 1000)
  // Written so that a time that is not a number refuses as well.
  if (!(Math.abs(nowSeconds - Number(timestamp)) <= toleranceSeconds)) {
    throw refuse(
      "outside_tolerance",
      `svc-webhook-timestamp is more than ${toleranceSeconds} s from now.`
    )
  }
  // Under an empty secret, as of a variable that is not set, anybody could sign.
  if (typeof secret !== "string" || secret === "") {
    throw refuse(
      "signature_mismatch",
      "The secret is missing: pass the endpoint's whole whsec_… text, and check that its variable is set."
    )
  }
  return { secret, prefix: `${timestamp}.`, signatures }
}

/** The event of a delivery, once it is known whether any of its signatures matched. */
export const eventOf = ({ body, headers }: Delivery, isSigned: boolean): WebhookEvent => {
  if (!isSigned) {
    throw refuse("signature_mismatch", "No signature matches this body and secret.")
  }
  const event = parsed(body)
  if (!isEvent(event)) {
    throw refuse("malformed_body", "The signature is valid, but the body is not an event.")
  }
  const id = headerOf(headers, "svc-webhook-id")
  // The header is not signed: changed, it would make a repeated event look new.
  if (id !== undefined && id !== event.id) {
    throw refuse("malformed_header", "svc-webhook-id differs from the id of the signed event.")
  }
  return event
}
