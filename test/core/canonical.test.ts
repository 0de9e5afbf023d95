/** Canonical JSON after RFC 8785: the order of keys never changes what is hashed. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { canonical } from "../../core/encoding/canonical.ts"

describe("Canonical JSON", () => {
  it("writes the RFC's example", () => {
    const value = {
      numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: '€$\u000f\nA\'B"\\\\"/',
      literals: [null, true, false]
    }
    assert.strictEqual(
      canonical(value),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}'
    )
  })

  it("is the same text for the same value, and reads back as that value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonical(value as never)
        assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)))
        assert.strictEqual(canonical(JSON.parse(text)), text)
      })
    )
  })

  it("does not depend on the order keys were written in", () => {
    assert.strictEqual(
      canonical({ b: 1, a: { d: 2, c: 3 } }),
      canonical({ a: { c: 3, d: 2 }, b: 1 })
    )
  })
})
