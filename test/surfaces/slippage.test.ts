/** What is published of slippage and what is taken is the same, whatever arithmetic a client's validator has. */
import { assert, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { Effect } from "effect"
import { ofInput } from "../../adapters/http/manual/json-schema.ts"
import { decode } from "../../core/operation/input.ts"
import { quoteSwap } from "../../core/swaps/quote-swap.ts"

const schema = ofInput(quoteSwap).properties?.slippagePercent ?? {}
/** It divides floats, as many do; the other has the tolerance that JSON Schema's arithmetic needs. */
const dividing = new Ajv2020({ strict: false }).compile(schema)
const exact = new Ajv2020({ strict: false, multipleOfPrecision: 9 }).compile(schema)

const isTaken = (slippagePercent: unknown) =>
  Effect.match(decode(quoteSwap, { ...quoteSwap.example.input, slippagePercent }), {
    onSuccess: () => true,
    onFailure: () => false
  })

it.effect("all percents of two decimals are, as a number and as text", () =>
  Effect.gen(function* () {
    let strays = 0
    for (let hundredths = 0; hundredths <= 5000; hundredths++) {
      const percent = hundredths / 100
      assert.isTrue(exact(percent), String(percent))
      assert.isTrue(dividing(String(percent)), String(percent))
      assert.isTrue(yield* isTaken(percent), String(percent))
      assert.isTrue(yield* isTaken(String(percent)), String(percent))
      if (!dividing(percent)) strays++
    }
    // Why there is a text: 0.29 / 0.01 is 28.999999999999996.
    assert.isAbove(strays, 0)
    for (const text of ["0.50", "1.0", "50.00"]) {
      assert.isTrue(dividing(text) && (yield* isTaken(text)), text)
    }
  })
)

it.effect("nothing else is", () =>
  Effect.gen(function* () {
    const numbers = [0.125, 0.001, 1e-7, 49.999, 50.01, 51, -0.01, -1]
    const texts = numbers.map(String).concat("", " ", "x", "05", ".5", "5.", "1e1", "0x5", "50.1")
    for (const wrong of [...numbers, ...texts, true, null, [], {}]) {
      const shown = JSON.stringify(wrong)
      assert.deepStrictEqual(
        [exact(wrong), dividing(wrong), yield* isTaken(wrong)],
        [false, false, false],
        shown
      )
    }
  })
)
