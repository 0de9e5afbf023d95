/** What OpenAPI says of an answer that refuses: its codes, one schema for all, and the headers it carries. */
import * as Refusal from "../../../core/operation/refusal.ts"
import * as Refusals from "../refusals.ts"

type Node = Readonly<Record<string, unknown>>

/** The headers of whatever drew from a rate limit. */
export const rateLimit: Node = {
  RateLimit: { $ref: "#/components/headers/RateLimit" },
  "RateLimit-Policy": { $ref: "#/components/headers/RateLimitPolicy" }
}

/** Refused before anything is drawn from the key's rate limit. */
const notCounted: ReadonlySet<string> = new Set(
  [
    Refusal.Unauthenticated,
    Refusal.InsufficientScope,
    Refusals.InvalidJson,
    Refusals.PayloadTooLarge,
    Refusals.UnsupportedMediaType
  ].map(({ code }) => code)
)

const showsRateLimit = (classes: ReadonlyArray<Refusal.Class>, consumes: boolean) =>
  classes.some(
    ({ code }) => code === Refusal.RateLimited.code || (consumes && !notCounted.has(code))
  )

/** One schema for all, so that a generated client has one type of error; the description names the codes. */
export const refused = (classes: ReadonlyArray<Refusal.Class>, consumes = false): Node => {
  return {
    description: classes.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join("\n\n"),
    headers: {
      "X-Request-Id": { $ref: "#/components/headers/RequestId" },
      ...(classes.some(({ retryable }) => retryable)
        ? { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }
        : {}),
      ...(showsRateLimit(classes, consumes) ? rateLimit : {})
    },
    content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorResponse" } } }
  }
}
