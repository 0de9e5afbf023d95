/** Logos: their bytes say what they are and how large, in each of the three forms, and anything else is none. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Logo from "../../../core/accounts/logo.ts"
import { png } from "../../support/pictures.ts"

const bytes = (...parts: ReadonlyArray<string | ReadonlyArray<number>>) =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) =>
        typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part)
      )
    )
  )

const padded = (start: Uint8Array) => new Uint8Array(Buffer.concat([start, Buffer.alloc(32)]))

const jpeg = bytes(
  "\xff\xd8",
  "\xff\xe0\0\x04ab",
  "\xff\xc4\0\x04ab",
  "\xff\xc2\0\x11\x08",
  [0, 40, 1, 44],
  "\x03"
)
const riff = (form: string) => bytes("RIFF", [0, 0, 0, 0], "WEBP", form, [0, 0, 0, 0])
const webp = {
  lossy: padded(bytes([...riff("VP8 ")], [0, 0, 0, 0x9d, 1, 0x2a, 44, 1, 40, 0])),
  // 14 bits of 299, then 14 bits of 39.
  lossless: padded(bytes([...riff("VP8L")], [0x2f, 0x2b, 0xc1, 0x09, 0])),
  extended: padded(bytes([...riff("VP8X")], [0, 0, 0, 0, 43, 1, 0, 39, 0, 0]))
}

const sizeOf = (data: Uint8Array) => {
  const logo = Logo.read(data)
  return logo && [logo.type, logo.width, logo.height]
}

describe("a logo", () => {
  it("tells its form and size by its bytes", () => {
    assert.deepStrictEqual(sizeOf(png(300, 40).bytes), ["image/png", 300, 40])
    assert.deepStrictEqual(sizeOf(jpeg), ["image/jpeg", 300, 40])
    for (const [form, data] of Object.entries(webp)) {
      assert.deepStrictEqual(sizeOf(data), ["image/webp", 300, 40], form)
    }
  })

  it("is no larger than a page can bear", () => {
    assert.deepStrictEqual(sizeOf(png(2048, 1).bytes), ["image/png", 2048, 1])
    assert.isUndefined(sizeOf(png(2049, 1).bytes))
    assert.isUndefined(sizeOf(png(1, 0).bytes))
    const heavy = new Uint8Array(Logo.maxBytes + 1)
    heavy.set(png(9, 9).bytes)
    assert.isUndefined(sizeOf(heavy))
  })

  it("is read back from the text it is kept as, under its own type alone", () => {
    const { bytes: data, dataUrl } = png(20, 10)
    const logo = Logo.ofDataUrl(dataUrl)
    assert.deepStrictEqual(logo, { type: "image/png", bytes: data, width: 20, height: 10 })
    assert.strictEqual(logo && Logo.dataUrlOf(logo), dataUrl)
    assert.isUndefined(Logo.ofDataUrl(dataUrl.replace("image/png", "image/webp")))
    assert.isUndefined(Logo.ofDataUrl(dataUrl.replace("image/png", "text/html")))
  })

  it("is none of what is cut short or written by chance", () => {
    for (const whole of [
      png(3, 3).bytes.subarray(0, 32),
      jpeg.subarray(0, 18),
      webp.lossy.subarray(0, 29)
    ]) {
      assert.isUndefined(Logo.read(whole))
    }
    const starts = fc.constantFrom(
      png(3, 3).bytes.subarray(0, 16),
      jpeg.subarray(0, 8),
      riff("VP8L"),
      new Uint8Array()
    )
    fc.assert(
      fc.property(starts, fc.uint8Array({ maxLength: 64 }), (start, rest) => {
        const logo = Logo.read(new Uint8Array(Buffer.concat([start, rest])))
        return logo === undefined || (logo.width <= Logo.maxSide && logo.height <= Logo.maxSide)
      })
    )
  })
})
