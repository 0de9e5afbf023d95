/** What is compiled from a schema does what the schema does: every output is written alike, and nothing wrong passes. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as FastCheck from "fast-check"
import { compile, unfit } from "../../../core/operation/compile.ts"
import { operations } from "../../../core/treasury/operations.ts"
import { valuesOf } from "../../support/sample-values.ts"

const runs = { numRuns: 25, seed: 20_261_122 }

const closed = { onExcessProperty: "error" } as const

/** The same with a stray field in every object. */
const strewn = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(strewn)
  if (value == null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return { ...mapped(value as object, strewn), stray: "secret" }
}

const mapped = (value: object, change: (each: unknown) => unknown) =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [name, change(each)]))

/** The same with the field at this place, counted through all objects, replaced by something else. */
const spoiled = (value: unknown, place: number, by: unknown): unknown => {
  let left = place
  const walk = (each: unknown): unknown => {
    if (left-- === 0) return by
    if (Array.isArray(each)) return each.map(walk)
    const isPlain = each != null && Object.getPrototypeOf(each) === Object.prototype
    return isPlain ? mapped(each as object, walk) : each
  }
  return walk(value)
}

describe("what is compiled", () => {
  for (const { name, output } of operations) {
    const codec = Schema.toCodecJson(output as Schema.Codec<unknown>)
    const write = compile(codec, "write")
    const encode = Schema.encodeUnknownExit(codec)

    it(`writes ${name} as its schema does`, () => {
      FastCheck.assert(
        FastCheck.property(valuesOf(output), (value) => {
          const exit = encode(value)
          if (exit._tag === "Success") assert.deepStrictEqual(write(value), exit.value)
          else assert.strictEqual(write(value), unfit)
        }),
        runs
      )
    })

    it(`writes no field of ${name} that is not declared, and no wrong type`, () => {
      const wrong = FastCheck.constantFrom(undefined, null, 1.5, "text", true, [], {}, 7n)
      FastCheck.assert(
        FastCheck.property(
          valuesOf(output),
          FastCheck.nat({ max: 40 }),
          wrong,
          (value, place, by) => {
            for (const given of [strewn(value), spoiled(value, place, by)]) {
              const written = write(given)
              if (written === unfit) continue
              const exit = encode(given)
              assert.strictEqual(exit._tag, "Success")
              if (exit._tag === "Success") assert.deepStrictEqual(written, exit.value)
            }
          }
        ),
        runs
      )
    })
  }
})

describe("what is read", () => {
  for (const { example, input, name } of operations) {
    if (Object.keys(input.fields).length === 0) continue
    const codec = Schema.toCodecJson(input as Schema.Codec<unknown>)
    const read = compile(codec, "read")

    it(`is what the schema of ${name} reads, and nothing with a field it does not know`, () => {
      const given = example.input
      const exit = Schema.decodeUnknownExit(codec, closed)(given)
      if (exit._tag === "Success") assert.deepStrictEqual(read(given), exit.value)
      else assert.strictEqual(read(given), unfit)
      assert.strictEqual(read({ ...given, stray: 1 }), unfit)
      assert.strictEqual(read([given]), unfit)
      assert.strictEqual(read(null), unfit)
    })
  }
})
