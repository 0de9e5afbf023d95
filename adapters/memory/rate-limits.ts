/** Budgets of one process, counted in its memory; what is remembered is bounded, however many callers come. */
import { Clock, Effect, Layer, Option, Result } from "effect"
import { NetAddress } from "effect/net"
import { defaults, type Limits, standing, windowOf } from "../../core/budget.ts"
import { type Allowance, RateLimits } from "../../core/ports/rate-limits.ts"

/** Far above any honest minute; a flood from more addresses forgets the earliest of them. */
const mostRemembered = 100_000

const hex = (segment: number) => segment.toString(16)

/** One client: an IPv4 address, or the /64 that one IPv6 client has all to itself. */
export const clientOf = (address: string): string => {
  const parsed = NetAddress.ipFromString(address.replace(/%.*$/u, ""))
  if (Result.isFailure(parsed)) return address.slice(0, 64)
  const ip = parsed.success
  if (NetAddress.isIpv4Address(ip)) return NetAddress.formatIp(ip)
  const mapped = NetAddress.fromIpv4Mapped(ip)
  if (Option.isSome(mapped)) return NetAddress.formatIp(mapped.value)
  return `${NetAddress.ipv6ToSegments(ip).slice(0, 4).map(hex).join(":")}::/64`
}

/** Counts per name in the present window. */
const windows = () => {
  let turn = Number.NaN
  const spent = new Map<string, number>()

  const read = (name: string, limit: number, nowMs: number): Allowance => {
    const now = windowOf(nowMs)
    if (now !== turn) spent.clear()
    turn = now
    return standing(limit, spent.get(name) ?? 0, nowMs)
  }

  const forgetEarliest = () => {
    const [earliest] = spent.keys()
    if (earliest !== undefined) spent.delete(earliest)
  }

  const draw = (name: string, limit: number, nowMs: number): Allowance => {
    const before = read(name, limit, nowMs)
    if (!before.allowed) return before
    if (spent.size >= mostRemembered && !spent.has(name)) forgetEarliest()
    spent.set(name, (spent.get(name) ?? 0) + 1)
    return { ...before, remaining: before.remaining - 1 }
  }

  return { read, draw, isUntouched: () => spent.size === 0 }
}

export const layer = (limits: Limits = defaults): Layer.Layer<RateLimits> =>
  Layer.sync(RateLimits, () => {
    const calls = windows()
    const failures = windows()
    // Where nobody failed, it does not matter which client an address belongs to.
    const failedClient = (address: string) => (failures.isUntouched() ? address : clientOf(address))
    const atNow = (allowance: (nowMs: number) => Allowance) =>
      Effect.map(Clock.currentTimeMillis, allowance)
    return {
      draw: (keyId, budget) =>
        atNow((nowMs) => calls.draw(`${budget} ${keyId}`, limits[budget], nowMs)),
      drawFailure: (clientAddress) =>
        atNow((nowMs) => failures.draw(clientOf(clientAddress), limits.failures, nowMs)),
      mayTry: (clientAddress) =>
        atNow((nowMs) => failures.read(failedClient(clientAddress), limits.failures, nowMs))
    }
  })
