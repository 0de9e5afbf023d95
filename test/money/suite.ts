/** Parts of the verification as tests, each thing once; often, and with the figures, is `npm run verify:money`. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Child from "../kill/child.ts"
import { type Part, program, timesOf } from "./part.ts"

const patienceMs = 300_000

export const suite = (parts: ReadonlyArray<Part>) =>
  describe("sends on real processes", () => {
    let bundle: Child.Bundle
    beforeAll(async () => {
      bundle = await Child.bundle(program)
      return bundle.remove
    }, patienceMs)

    for (const { promise, run } of parts) {
      it(
        promise,
        async () => {
          const said: Array<string> = []
          const figures = await run({
            bundle,
            quick: true,
            times: timesOf(true, 1),
            say: (line) => void said.push(line)
          })
          const broken = figures.filter(({ holds }) => !holds)
          assert.isNotEmpty(figures)
          assert.deepStrictEqual(broken, [], said.join("\n"))
        },
        patienceMs
      )
    }
  })
