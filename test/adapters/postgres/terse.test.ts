/** What is kept as bytes comes back to the letter, in one form only, and also from a version before. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import * as Terse from "../../../adapters/postgres/terse.ts"
import { words } from "../../../adapters/postgres/terse-words.ts"
import * as Rows from "../../support/rows.ts"

const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex")

const digits = (all: string, max: number) =>
  FastCheck.string({ unit: FastCheck.constantFrom(...all), maxLength: max })

/** Text that pairs no surrogates, as a program that embeds the treasury may hand it over. */
const unpaired = FastCheck.array(
  FastCheck.oneof(
    FastCheck.integer({ min: 0xd800, max: 0xdfff }),
    FastCheck.integer({ min: 0, max: 0xffff })
  ),
  { maxLength: 300 }
).map((units) => String.fromCharCode(...units))

/** All that looks like what has a form of its own, beside any text. */
const value = FastCheck.oneof(
  FastCheck.string({ unit: "binary" }),
  unpaired,
  FastCheck.uuid(),
  FastCheck.uuid().map((id) => id.toUpperCase()),
  FastCheck.constantFrom(...words, "Key", "keys", ""),
  digits("0123456789abcdef", 70).map((hex) => `0x${hex}`),
  digits("0123456789abcdefABCDEF", 70).map((hex) => `0x${hex}`),
  digits("0123456789", 20),
  FastCheck.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String)
)

/** Written by the version that first had them. */
const kept: ReadonlyArray<readonly [value: string, hex: string]> = [
  ["", "00"],
  ["till 3 – Größe", "0074696c6c203320e28093204772c3b6c39f65"],
  ["0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d", "010198c7a05b7e7c3a9d526f0f5a1c2b3d"],
  ["0x9f3c2b7e", "029f3c2b7e"],
  ["0x58b033059bB71B4244cb", "0358b033059bb71b4244cb002400"],
  ["49000000", "0402ebae40"],
  ["a\ud83d", "0561003dd8"],
  ["0", "0400"],
  ["key", "10"],
  ["system", "14"],
  ["payment_request", "25"]
]

describe("a value kept as bytes", () => {
  it("comes back to the letter, whatever it is", () => {
    FastCheck.assert(
      FastCheck.property(value, (each) => {
        assert.strictEqual(Terse.decode(Terse.encode(each)), each)
      }),
      { numRuns: 2000 }
    )
  })

  it("comes back among others, also where it is long", () => {
    const long = "0123456789".repeat(60)
    for (const all of [[], [long], ["", long, "key", ""], [`0x${"ab".repeat(300)}`, "1"]]) {
      assert.deepStrictEqual(Terse.decodeAll(Terse.encodeAll(all)), all)
    }
    FastCheck.assert(
      FastCheck.property(FastCheck.array(value), (all) => {
        assert.deepStrictEqual(Terse.decodeAll(Terse.encodeAll(all)), all)
      }),
      { numRuns: 1000 }
    )
  })

  it("is equal in bytes only to itself", () => {
    FastCheck.assert(
      FastCheck.property(value, value, (one, other) => {
        assert.strictEqual(hexOf(Terse.encode(one)) === hexOf(Terse.encode(other)), one === other)
      }),
      { numRuns: 2000 }
    )
  })

  it("is read as the first version wrote it", () => {
    for (const [text, hex] of kept) {
      assert.strictEqual(hexOf(Terse.encode(text)), hex, text)
      assert.strictEqual(Terse.decode(Buffer.from(hex, "hex")), text)
    }
    assert.throws(
      () => Terse.decode(Buffer.from("ff", "hex")),
      "a way that this version does not know"
    )
  })

  it("takes little more than the bytes that it is", () => {
    assert.lengthOf(Terse.encode(Rows.anId()), 17)
    assert.lengthOf(Terse.encode(Rows.aTxHash()), 33)
    assert.isAtMost(Terse.encode(Rows.anAddress()).length, 26)
  })
})
