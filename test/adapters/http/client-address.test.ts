/** One client is one IPv4 address however it is written, or a whole /64 of IPv6. */
import { assert, it } from "@effect/vitest"
import { foldedOf } from "../../../adapters/http/client-address.ts"

it("one IPv6 client is its whole /64", () => {
  const client = foldedOf("2a00:1450:4001:81c::1")
  assert.strictEqual(foldedOf("2A00:1450:4001:081c:ffff:ffff:ffff:ffff"), client)
  assert.strictEqual(foldedOf("2a00:1450:4001:81c:1234::"), client)
  assert.notStrictEqual(foldedOf("2a00:1450:4001:81d::1"), client)
  assert.strictEqual(foldedOf("fe80::1%eth0"), foldedOf("fe80::2%eth1"))
})

it("an IPv4 client is the same however it is written", () => {
  const client = foldedOf("203.0.113.9")
  assert.strictEqual(foldedOf("::ffff:203.0.113.9"), client)
  assert.strictEqual(foldedOf("::ffff:cb00:7109"), client)
  assert.notStrictEqual(foldedOf("203.0.113.10"), client)
})

it("what is no address is a client of its own, and no longer than an address may be", () => {
  assert.strictEqual(foldedOf("unknown"), "unknown")
  assert.strictEqual(foldedOf("x".repeat(10_000)).length, 64)
})
