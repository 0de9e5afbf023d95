/** Instants as answers write them, against the platform's own writer over the whole calendar. */
import { DateTime, Exit, Schema } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Timestamp from "../../core/time/timestamp.ts"

const at = (epochMs: number) => DateTime.toUtc(DateTime.makeUnsafe(epochMs))

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

describe("an instant in an answer", () => {
  it("is written as the platform writes it, whatever was written before", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -lastMs, max: lastMs }), { minLength: 1 }), (all) => {
        for (const epochMs of all) {
          expect(Timestamp.format(at(epochMs))).toBe(new Date(epochMs).toISOString())
        }
      })
    )
  })

  it("turns the day over at midnight and not a millisecond earlier", () => {
    const midnight = Date.UTC(2028, 1, 29)
    expect(Timestamp.format(at(midnight - 1))).toBe("2028-02-28T23:59:59.999Z")
    expect(Timestamp.format(at(midnight))).toBe("2028-02-29T00:00:00.000Z")
    expect(Timestamp.format(at(midnight - 1))).toBe("2028-02-28T23:59:59.999Z")
  })

  it.each([{}, { epochMilliseconds: 0 }, null, "2030-01-31T12:00:00Z", 0, undefined])(
    "is never made of anything else: %s",
    (value) => {
      const encode = Schema.encodeUnknownExit(Schema.Struct({ at: Timestamp.Encoded }))
      expect(Exit.isFailure(encode({ at: value }))).toBe(true)
    }
  )

  it("is read back as the same instant", () => {
    const text = "2030-01-31T12:00:00.250Z"
    expect(Schema.encodeSync(Timestamp.Encoded)(Schema.decodeSync(Timestamp.Encoded)(text))).toBe(
      text
    )
  })
})
