/** Real randomness. Identifiers sort by the time they were made at, on the clock everything else uses. */
import { randomBytes, randomInt } from "node:crypto"
import { Clock, Effect, Layer } from "effect"
import { Ids } from "../../core/ports/ids.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** The largest multiple of 62 a byte can hold; bytes above it would favour the first characters. */
const unbiased = 248
const maxCount = 0xfff

/** What the system is asked for at once: one call for each identifier would cost more than the rest of it. */
const drawnBytes = 4096

/** Random bytes in pieces; no byte is ever handed out twice. */
const pieces = () => {
  let drawn = Buffer.alloc(0)
  return (length: number): Buffer => {
    if (drawn.length < length) drawn = randomBytes(Math.max(drawnBytes, length))
    const piece = drawn.subarray(0, length)
    drawn = drawn.subarray(length)
    return piece
  }
}

const base62 = (random: (length: number) => Buffer, length: number): string => {
  let text = ""
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < unbiased) text += alphabet.charAt(byte % 62)
    }
  }
  return text
}

/** Low enough that thousands more fit into the same millisecond. */
const firstCount = () => randomInt(0x800)

/** RFC 9562, version 7: a counter keeps those of one millisecond, or of a clock set back, in order. */
const uuids = (random: (length: number) => Buffer) => {
  let lastMs = -1
  let count = 0
  return (nowMs: number): string => {
    if (nowMs > lastMs) {
      lastMs = nowMs
      count = firstCount()
    } else if (count < maxCount) {
      count++
    } else {
      lastMs++
      count = firstCount()
    }
    const bytes = random(16)
    bytes.writeUIntBE(lastMs, 0, 6)
    bytes.writeUInt16BE(0x7000 | count, 6)
    bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8)
    const hex = bytes.toString("hex")
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20)
    ].join("-")
  }
}

export const layer: Layer.Layer<Ids> = Layer.sync(Ids, () => {
  const random = pieces()
  const next = uuids(random)
  return {
    uuid: Effect.map(Clock.currentTimeMillis, next),
    base62: (length) => Effect.sync(() => base62(random, length)),
    bytes: (length) => Effect.sync(() => new Uint8Array(randomBytes(length))),
    fraction: Effect.sync(() => randomInt(2 ** 47) / 2 ** 47)
  }
})
