/**
 * Rate limits that replicas share, as counters in Redis. While it is away each process counts for itself: a
 * rate limit is then as wide as there are processes, but nobody is locked out and nobody waits long.
 */
import { Clock, Duration, Effect, Layer } from "effect"
import {
  type Allowance,
  allowanceAt,
  type ClientRateLimit,
  clientLimit,
  type Limits,
  windowMs,
  windowOf
} from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import * as Client from "./client.ts"

export interface Options {
  readonly url: string
  readonly limits: Limits
}

/** Far longer than Redis takes, far shorter than a caller minds. */
const timeoutMs = 250
/** How long it is left alone once it did not answer. */
const restMs = 2_000

const saidOnce = {
  away: "Redis does not respond; until it does, each process counts calls by itself.",
  back: "Redis responds again; rate limits are shared."
}

/** Asks Redis, or somebody else while it is away; says once that it went and once that it came back. */
const asking = () => {
  let restsUntilMs = 0
  let isAway = false

  const left = Effect.fnUntraced(function* (nowMs: number) {
    restsUntilMs = nowMs + restMs
    if (isAway) return
    isAway = true
    yield* Effect.logWarning(saidOnce.away)
  })

  const answered = Effect.suspend(() => {
    if (!isAway) return Effect.void
    isAway = false
    return Effect.logInfo(saidOnce.back)
  })

  return Effect.fnUntraced(function* (
    ask: (nowMs: number) => Promise<Allowance>,
    otherwise: Effect.Effect<Allowance>
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    if (nowMs < restsUntilMs) return yield* otherwise
    const asked = Effect.tryPromise(() => ask(nowMs)).pipe(
      Effect.timeout(Duration.millis(timeoutMs)),
      Effect.tap(() => answered)
    )
    return yield* Effect.catch(asked, () => Effect.andThen(left(nowMs), otherwise))
  })
}

/** Over the rate limits of this process alone, which count while Redis is away. */
export const layer = ({ url, limits }: Options) =>
  Layer.effect(
    RateLimits,
    Effect.gen(function* () {
      const alone = yield* RateLimits
      const counters = yield* Client.counters(url)
      const ask = asking()
      const named = (name: string, nowMs: number) => `bursar:rate-limit:${windowOf(nowMs)}:${name}`
      // Kept into the next window, for processes whose clocks are behind.
      const consume = (name: string, limit: number) => async (nowMs: number) => {
        const before = await counters.consume(named(name, nowMs), limit, windowMs * 2)
        const { remaining, ...stands } = allowanceAt(limit, before, nowMs)
        return { ...stands, remaining: Math.max(0, remaining - 1) }
      }
      const read = (name: string, limit: number) => async (nowMs: number) =>
        allowanceAt(limit, await counters.spent(named(name, nowMs)), nowMs)
      const ofClient = (client: string, rateLimit: ClientRateLimit) =>
        [`client ${rateLimit} ${client}`, clientLimit(limits, rateLimit)] as const
      return {
        consume: (keyId, rateLimit) =>
          ask(consume(`${rateLimit} ${keyId}`, limits[rateLimit]), alone.consume(keyId, rateLimit)),
        consumeClient: (client, rateLimit) =>
          ask(consume(...ofClient(client, rateLimit)), alone.consumeClient(client, rateLimit)),
        allowanceOf: (client, rateLimit) =>
          ask(read(...ofClient(client, rateLimit)), alone.allowanceOf(client, rateLimit))
      }
    })
  )
