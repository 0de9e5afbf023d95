/**
 * Identifiers from a seed: the same seed, clock and order of calls give the same ids, so a history can be
 * replayed. They can be foretold, so they never make keys or secrets that guard anything.
 */
import { Clock, Effect, Layer } from "effect"
import { Ids } from "../../core/ports/ids.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** SplitMix32: a number in [0, 2^32) for each call. */
const randomOf = (seed: number) => {
  let state = seed | 0
  return (): number => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
}

const hex = (value: number, length: number) => value.toString(16).padStart(length, "0")

const maxInOneMs = 0x1000

/** A version 7 UUID: milliseconds, a count within the millisecond, and 62 random bits. */
const uuidOf = (epochMs: number, count: number, high: number, low: number): string => {
  const time = hex(epochMs, 12)
  const variant = hex(0x8000 | (high & 0x3fff), 4)
  const rest = hex(high >>> 16, 4) + hex(low, 8)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(count, 3)}-${variant}-${rest}`
}

/** Two processes over one store need two seeds, or they give the same ids. */
export const layer = (seed: number): Layer.Layer<Ids> =>
  Layer.sync(Ids, () => {
    const random = randomOf(seed)
    const fraction = () => random() / 0x1_0000_0000
    let latestMs = 0
    let count = 0
    return {
      uuid: Effect.map(Clock.currentTimeMillis, (nowMs) => {
        count = nowMs > latestMs ? 0 : count + 1
        latestMs = Math.max(nowMs, latestMs)
        if (count === maxInOneMs) {
          // A full millisecond borrows the next one, so that ids stay in order.
          latestMs += 1
          count = 0
        }
        return uuidOf(latestMs, count, random(), random())
      }),
      base62: (length) =>
        Effect.sync(() =>
          Array.from({ length }, () => alphabet.charAt(Math.floor(fraction() * 62))).join("")
        ),
      bytes: (length) => Effect.sync(() => Uint8Array.from({ length }, () => random() & 0xff)),
      fraction: Effect.sync(fraction)
    }
  })
