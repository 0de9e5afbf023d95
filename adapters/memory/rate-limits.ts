/** Rate limits of one process, counted in its memory; what is remembered is bounded, however many callers come. */
import { Clock, Context, Effect, Layer } from "effect"
import type { RateLimitClass } from "../../core/operation/definition.ts"
import {
  type Allowance,
  allowanceAt,
  clientLimit,
  defaults,
  type Limits,
  windowOf
} from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"

/** Far above any honest minute; a flood from more addresses forgets the earliest of them. */
const maxRemembered = 100_000

/** Counts per name in the present window. */
const windows = () => {
  let turn = Number.NaN
  const spent = new Map<string, number>()

  const read = (name: string, limit: number, nowMs: number): Allowance => {
    const now = windowOf(nowMs)
    if (now !== turn) spent.clear()
    turn = now
    return allowanceAt(limit, spent.get(name) ?? 0, nowMs)
  }

  const forgetEarliest = () => {
    const [earliest] = spent.keys()
    if (earliest !== undefined) spent.delete(earliest)
  }

  const consume = (name: string, limit: number, nowMs: number): Allowance => {
    const before = read(name, limit, nowMs)
    if (!before.allowed) return before
    if (spent.size >= maxRemembered && !spent.has(name)) forgetEarliest()
    spent.set(name, (spent.get(name) ?? 0) + 1)
    return { ...before, remaining: before.remaining - 1 }
  }

  return { read, consume }
}

export const layer = (limits: Limits = defaults): Layer.Layer<RateLimits> =>
  Layer.sync(RateLimits, () => {
    const calls = windows()
    // Strangers can be made up without end: however many come, they push no key out.
    const clients = windows()
    const atNow = (allowance: (nowMs: number) => Allowance) =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.succeed(allowance(Context.get(context, Clock.Clock).currentTimeMillisUnsafe()))
      )
    const consume = (keyId: string, rateLimit: RateLimitClass, nowMs: number) =>
      calls.consume(`${rateLimit} ${keyId}`, limits[rateLimit], nowMs)
    return {
      consume: (keyId, rateLimit) => atNow((nowMs) => consume(keyId, rateLimit, nowMs)),
      atHand: consume,
      consumeClient: (client, rateLimit) =>
        atNow((nowMs) =>
          clients.consume(`${rateLimit} ${client}`, clientLimit(limits, rateLimit), nowMs)
        ),
      allowanceOf: (client, rateLimit) =>
        atNow((nowMs) =>
          clients.read(`${rateLimit} ${client}`, clientLimit(limits, rateLimit), nowMs)
        )
    }
  })
