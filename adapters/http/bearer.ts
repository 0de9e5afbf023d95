/**
 * From a request to its caller. The bearer key is the only credential: cookies are never looked at.
 * An address that keeps failing is refused before its next key is.
 */
import { Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { type Allowance, RateLimits } from "../../core/ports/rate-limits.ts"
import { RateLimited } from "../../core/refusal.ts"

type Request = HttpServerRequest.HttpServerRequest

/**
 * The client's address. Behind `proxies` of our own, it is the one the outermost of them wrote down;
 * what stands before it in `X-Forwarded-For` is the client's own claim.
 */
export const addressOf = (request: Request, proxies: number): string => {
  const forwarded = proxies === 0 ? [] : (request.headers["x-forwarded-for"] ?? "").split(",")
  const claimed = forwarded.at(-proxies)?.trim()
  return claimed || Option.getOrElse(request.remoteAddress, () => "unknown")
}

const tooMany = (allowance: Allowance) =>
  new RateLimited({
    message: `Too many keys from this address were refused. Wait ${allowance.resetSeconds} seconds.`,
    details: { limit: allowance.limit, retryAfterSeconds: allowance.resetSeconds }
  })

const scheme = /^bearer +/iu

export const caller = Effect.fnUntraced(function* (request: Request, proxies: number) {
  const limits = yield* RateLimits
  const address = addressOf(request, proxies)
  const standing = yield* limits.mayTry(address)
  if (!standing.allowed) return yield* tooMany(standing)
  const given = request.headers.authorization
  return yield* authenticate(
    given !== undefined && scheme.test(given) ? given.replace(scheme, "") : "",
    address
  ).pipe(
    // A request without a key guesses nothing, so it costs nothing.
    Effect.tapError(() => (given === undefined ? Effect.void : limits.drawFailure(address)))
  )
})
