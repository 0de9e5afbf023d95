/** A part of the verification as a test, with a small crowd; large ones, with the figures, are `npm run verify:edge`. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Child from "../kill/child.ts"
import { type Part, timesOf } from "../money/part.ts"
import { program } from "./parts.ts"

const patienceMs = 300_000

export const tried = ({ promise, run }: Part) =>
  describe("clients that do not read, before a real process", () => {
    let bundle: Child.Bundle
    beforeAll(async () => {
      bundle = await Child.bundle(program)
      return bundle.remove
    }, patienceMs)

    it(promise, { timeout: patienceMs }, async () => {
      const said: Array<string> = []
      const say = (line: string) => void said.push(line)
      const figures = await run({ bundle, quick: true, times: timesOf(true, 1), say })
      assert.isNotEmpty(figures)
      const broken = figures.filter(({ holds }) => !holds)
      assert.deepStrictEqual(broken, [], said.join("\n"))
    })
  })
