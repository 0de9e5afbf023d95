/** Rate limits of one process, counted in its memory; what is remembered is bounded, however many callers come. */
import { Clock, Context, Effect, Layer } from "effect"
import type { RateLimitClass } from "../../core/operation/definition.ts"
import {
  type Allowance,
  allowanceAt,
  type ClientRateLimit,
  clientLimit,
  defaults,
  type Limits,
  windowOf
} from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"

/** Far above any honest minute; a flood from more addresses forgets the earliest of them. */
const maxRemembered = 100_000

interface Windows {
  readonly read: (name: string, limit: number, nowMs: number) => Allowance
  readonly consume: (name: string, limit: number, nowMs: number) => Allowance
}

/** Counts per name in the present window. */
const windows = (): Windows => {
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
    spent.set(name, before.limit - before.remaining + 1)
    const { allowed, remaining, resetSeconds } = before
    return { allowed, limit, remaining: remaining - 1, resetSeconds }
  }

  return { read, consume }
}

/** Those of each rate limit by themselves, so that nobody puts a name together for a call. */
const windowsOfEach = <RateLimit extends string>() => {
  const all = new Map<RateLimit, Windows>()
  return (rateLimit: RateLimit): Windows => {
    const known = all.get(rateLimit)
    if (known !== undefined) return known
    const made = windows()
    all.set(rateLimit, made)
    return made
  }
}

export const layer = (limits: Limits = defaults): Layer.Layer<RateLimits> =>
  Layer.sync(RateLimits, () => {
    const calls = windowsOfEach<RateLimitClass>()
    // Strangers can be made up without end: however many come, they push no key out.
    const clients = windowsOfEach<ClientRateLimit>()
    const atNow = (allowance: (nowMs: number) => Allowance) =>
      Effect.contextWith((context: Context.Context<never>) =>
        Effect.succeed(allowance(Context.get(context, Clock.Clock).currentTimeMillisUnsafe()))
      )
    const consume = (keyId: string, rateLimit: RateLimitClass, nowMs: number) =>
      calls(rateLimit).consume(keyId, limits[rateLimit], nowMs)
    return {
      consume: (keyId, rateLimit) => atNow((nowMs) => consume(keyId, rateLimit, nowMs)),
      atHand: consume,
      consumeClient: (client, rateLimit) =>
        atNow((nowMs) => clients(rateLimit).consume(client, clientLimit(limits, rateLimit), nowMs)),
      allowanceOf: (client, rateLimit) =>
        atNow((nowMs) => clients(rateLimit).read(client, clientLimit(limits, rateLimit), nowMs))
    }
  })
