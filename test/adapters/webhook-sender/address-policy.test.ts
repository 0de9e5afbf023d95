/** Special-purpose address blocks are refused to their last address, judged by an independent matcher. */
import { BlockList, isIPv6 } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as AddressPolicy from "../../../adapters/webhook-sender/address-policy.ts"

type Block = readonly [network: string, prefix: number]

const special4: ReadonlyArray<Block> = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3]
]

const special6: ReadonlyArray<Block> = [
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1]
]

const oracle4 = new BlockList()
for (const [network, prefix] of special4) oracle4.addSubnet(network, prefix, "ipv4")
const oracle6 = new BlockList()
for (const [network, prefix] of special6) oracle6.addSubnet(network, prefix, "ipv6")

const text4 = (value: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => ((value >> shift) & 0xffn).toString()).join(".")

const text6 = (value: bigint): string =>
  Array.from({ length: 8 }, (_, n) =>
    ((value >> BigInt(112 - 16 * n)) & 0xffffn).toString(16)
  ).join(":")

const value4 = (text: string): bigint =>
  text.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n)

const value6 = (text: string): bigint => {
  const [head = "", tail = ""] = text.split("::")
  const heads = head === "" ? [] : head.split(":")
  const tails = tail === "" ? [] : tail.split(":")
  const zeros = Array.from({ length: 8 - heads.length - tails.length }, () => "0")
  return [...heads, ...zeros, ...tails].reduce(
    (value, part) => (value << 16n) | BigInt(`0x${part}`),
    0n
  )
}

const boundsOf = ([network, prefix]: Block) => {
  const bits = isIPv6(network) ? 128 : 32
  const first = bits === 128 ? value6(network) : value4(network)
  const last = first + (1n << BigInt(bits - prefix)) - 1n
  return { first, last, most: (1n << BigInt(bits)) - 1n }
}

const runs = { numRuns: 2000 }

describe("the address policy", () => {
  for (const block of [...special4, ...special6]) {
    const { first, last, most } = boundsOf(block)
    const text = isIPv6(block[0]) ? text6 : text4
    it(`refuses ${block.join("/")} from its first address to its last`, () => {
      assert.isFalse(AddressPolicy.isPublic(text(first)))
      assert.isFalse(AddressPolicy.isPublic(text(last)))
      fc.assert(
        fc.property(fc.bigInt(first, last), (value) => !AddressPolicy.isPublic(text(value))),
        { numRuns: 200 }
      )
    })
    it(`judges the neighbours of ${block.join("/")} by their own block`, () => {
      const oracle = isIPv6(block[0]) ? oracle6 : oracle4
      const version = isIPv6(block[0]) ? "ipv6" : "ipv4"
      for (const value of [first - 1n, last + 1n].filter((v) => v >= 0n && v <= most)) {
        const address = text(value)
        assert.strictEqual(
          AddressPolicy.isPublic(address),
          !oracle.check(address, version),
          address
        )
      }
    })
  }

  it("agrees with the independent matcher on any IPv4 address", () => {
    fc.assert(
      fc.property(fc.bigInt(0n, (1n << 32n) - 1n).map(text4), (address) => {
        assert.strictEqual(AddressPolicy.isPublic(address), !oracle4.check(address, "ipv4"))
      }),
      runs
    )
  })

  it("agrees with the independent matcher on any IPv6 address, half of them global unicast", () => {
    const any = fc.bigInt(0n, (1n << 128n) - 1n)
    const global = fc.bigInt(value6("2000::"), value6("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"))
    fc.assert(
      fc.property(fc.oneof(any, global).map(text6), (address) => {
        assert.strictEqual(AddressPolicy.isPublic(address), !oracle6.check(address, "ipv6"))
      }),
      runs
    )
  })

  it("refuses whatever carries an IPv4 address inside an IPv6 one, public or not", () => {
    const prefixes = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::", "2002:"]
    const octets = fc.bigInt(0n, (1n << 32n) - 1n)
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), octets, (prefix, value) => {
        const high = (value >> 16n).toString(16)
        const low = (value & 0xffffn).toString(16)
        const address = prefix === "2002:" ? `2002:${high}:${low}::` : `${prefix}${high}:${low}`
        assert.isFalse(AddressPolicy.isPublic(address), address)
      }),
      runs
    )
  })

  it("refuses whatever is not an address in its usual form", () => {
    const texts = ["", " ", "8.8.8", "8.8.8.8.", "08.8.8.8", "0x8.8.8.8", "134744072", "8.8.8.8 "]
    for (const text of [...texts, "[2606::1]", "2606::1%lo", "2606:::1", "example.com"]) {
      assert.isFalse(AddressPolicy.isPublic(text), JSON.stringify(text))
    }
    fc.assert(
      fc.property(fc.string(), (text) => !AddressPolicy.isPublic(text)),
      runs
    )
  })
})
