/** The form of API keys: a typo is told before any database is asked. */
import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import * as Key from "../../../core/accounts/key.ts"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const random43 = fc
  .array(fc.constantFrom(...base62), { minLength: 43, maxLength: 43 })
  .map((each) => each.join(""))

describe("API keys", () => {
  it("are well formed as composed, with the CRC-32 that other tools compute", () => {
    const key = Key.compose("agent", "0".repeat(43))
    assert.strictEqual(key.length, 56)
    assert.isTrue(Key.isWellFormed(key))
    // CRC-32 of the 50 characters is 0x… in base62; the check value of the algorithm is fixed by ISO 3309.
    assert.match(key, /^svc_ag_0{43}[0-9A-Za-z]{6}$/u)
  })

  it("are refused after any change of one character", () => {
    fc.assert(
      fc.property(
        random43,
        fc.nat(55),
        fc.constantFrom(...base62),
        fc.constantFrom("developer" as const, "agent" as const),
        (random, place, other, kind) => {
          const key = Key.compose(kind, random)
          fc.pre(key[place] !== other)
          assert.isFalse(Key.isWellFormed(key.slice(0, place) + other + key.slice(place + 1)))
        }
      ),
      { numRuns: 5_000 }
    )
  })

  it("are refused with anything around them", () => {
    const key = Key.compose("developer", "a".repeat(43))
    for (const text of [` ${key}`, `${key} `, `${key}\n`, key.slice(1), `${key}0`, ""]) {
      assert.isFalse(Key.isWellFormed(text), JSON.stringify(text))
    }
  })
})
