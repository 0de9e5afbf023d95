/** Ranges of addresses: which texts are one, how they are written, and what they hold. */
import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "fast-check"
import { contains, format, parse, type Range } from "../../../core/accounts/address-range.ts"

const range = (text: string): Range => {
  const parsed = parse(text)
  if (parsed === undefined) throw new Error(`${text} is no range.`)
  return parsed
}

describe("a range of addresses", () => {
  it.each([
    ["203.0.113.7", "203.0.113.7/32"],
    ["203.0.113.7/24", "203.0.113.0/24"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8::/32", "2001:db8::/32"],
    ["2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1/128"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3/128"],
    ["::", "::/128"],
    ["::1", "::1/128"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0/128"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221/128"],
    // The same address in IPv6's spelling.
    ["::ffff:203.0.113.7", "203.0.113.7/32"],
    ["::ffff:cb00:7107", "203.0.113.7/32"],
    ["::FFFF:10.0.0.0/104", "10.0.0.0/8"]
  ])("%s is written %s", (text, written) => {
    assert.strictEqual(format(range(text)), written)
  })

  it.each([
    "",
    "/8",
    "1.2.3",
    "1.2.3.4.5",
    "1.2.3.256",
    "1.2.3.999",
    "1.2.3.x",
    "x.y.z.w",
    "01.2.3.4",
    "1.2.3.4/",
    "1.2.3.4/x",
    "1.2.3.4/33",
    "1.2.3.4/-1",
    "1.2.3.4/08",
    "1.2.3.4/8/8",
    ":",
    ":::",
    "1:2",
    "1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7:8::",
    "1::2::3",
    "g::",
    "::g",
    "12345::",
    "::12345",
    "x1::",
    "1x::",
    "::/129",
    "::1/2/3",
    "::1.2.3.256",
    "::1.2.3",
    "1.2.3.4::",
    "1:2:3:4:5:6:7:1.2.3.4",
    "1:2:3:4:5:6:7:8.1.1.1"
  ])("%j is no range", (text) => {
    assert.isUndefined(parse(text))
  })

  it("takes an IPv4 address at the end of the eight groups", () => {
    assert.strictEqual(format(range("1:2:3:4:5:6:1.2.3.4")), "1:2:3:4:5:6:102:304/128")
  })

  it("is of IPv4 only where all of it is mapped", () => {
    // Its first 95 bits hold two prefixes: mapped addresses, and others.
    assert.strictEqual(format(range("::ffff:0:0/95")), "::fffe:0:0/95")
    assert.strictEqual(format(range("::ffff:0:0/96")), "0.0.0.0/0")
    assert.strictEqual(range("0.0.255.255").width, 32)
    assert.strictEqual(format(range("0.0.255.255/32")), "0.0.255.255/32")
  })

  it.each([
    ["10.0.0.0/8", "10.255.0.1", true],
    ["10.0.0.0/8", "11.0.0.0", false],
    ["10.0.0.0/8", "10.0.0.0/7", false],
    ["10.0.0.0/8", "::ffff:10.1.2.3", true],
    ["0.0.0.0/0", "::1", false],
    ["::/0", "10.0.0.1", false],
    ["2001:db8::/32", "2001:db8:ffff::1", true],
    ["2001:db8::/33", "2001:db8:8000::", false]
  ])("%s and %s: %s", (outer, inner, isInside) => {
    assert.strictEqual(contains(range(outer), range(inner)), isInside)
  })

  it("is read back as it is written, and holds an address exactly when their first bits agree", () => {
    const width = FastCheck.constantFrom(32, 128)
    const ranges = width.chain((bits) =>
      FastCheck.record({
        value: FastCheck.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }),
        other: FastCheck.bigInt({ min: 0n, max: 2n ** BigInt(bits) - 1n }),
        prefix: FastCheck.integer({ min: 0, max: bits }),
        bits: FastCheck.constant(bits)
      })
    )
    const binary = (value: bigint, bits: number) => value.toString(2).padStart(bits, "0")
    FastCheck.assert(
      FastCheck.property(ranges, ({ bits, other, prefix, value }) => {
        const width = bits === 32 ? 32 : 128
        const cut = BigInt(bits - prefix)
        const outer: Range = { width, first: (value >> cut) << cut, prefix }
        // Mapped addresses are of the other family; nobody generates one by chance.
        assert.deepStrictEqual(range(format(outer)), outer)
        const agree = binary(value, bits).slice(0, prefix) === binary(other, bits).slice(0, prefix)
        assert.strictEqual(contains(outer, { width, first: other, prefix: bits }), agree)
      })
    )
  })
})
