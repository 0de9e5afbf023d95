/** Parts of the verification as tests, each thing seldom; often, and with the figures, is its lane's own command. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Child from "../kill/child.ts"
import { type Part, timesOf } from "./part.ts"

interface Tried {
  /** What is before them all. */
  readonly title: string
  /** What every process of theirs runs. */
  readonly program: string
  readonly parts: ReadonlyArray<Part>
  readonly patienceMs: number
}

export const tried = ({ parts, patienceMs, program, title }: Tried) =>
  describe(title, () => {
    let bundle: Child.Bundle
    beforeAll(async () => {
      bundle = await Child.bundle(program)
      return bundle.remove
    }, patienceMs)

    for (const { promise, run } of parts) {
      it(promise, { timeout: patienceMs }, async () => {
        const said: Array<string> = []
        const say = (line: string) => void said.push(line)
        const figures = await run({ bundle, quick: true, times: timesOf(true, 1), say })
        assert.isNotEmpty(figures)
        const broken = figures.filter(({ holds }) => !holds)
        assert.deepStrictEqual(broken, [], said.join("\n"))
      })
    }
  })
