/** Parts of the verification as tests, each thing seldom; often, and with the figures, is `npm run verify:delivery`. */
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Child from "../kill/child.ts"
import { timesOf } from "../money/part.ts"
import * as Addresses from "./addresses.ts"
import * as Kills from "./kills.ts"
import * as Mistakes from "./mistakes.ts"
import { program } from "./parts.ts"
import * as Restarts from "./restarts.ts"
import * as Schedule from "./schedule.ts"
import * as Slow from "./slow.ts"

const patienceMs = 180_000

describe("webhooks on real processes", () => {
  let bundle: Child.Bundle
  beforeAll(async () => {
    bundle = await Child.bundle(program)
    return bundle.remove
  }, patienceMs)

  for (const { promise, run } of [
    Schedule.part,
    Addresses.part,
    Kills.part,
    Restarts.part,
    Slow.part,
    Mistakes.part
  ]) {
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
