/** The chart of what each day spent: days as people write them, and whether there is anything to draw. */
import { assert, it } from "@effect/vitest"
import { chartOf } from "../../../adapters/pages/console/spend-chart.ts"

const days = (used: ReadonlyArray<string>) =>
  used.map((usedUsd, at) => ({ day: `2026-10-${String(29 + at)}`, usedUsd }))

it("names the first day, the middle one and the last", () => {
  const chart = chartOf({ dailySendCapUsd: "50000", days: days(["0", "12.5", "0"]) })
  assert.deepStrictEqual(chart.days, ["Oct 29", "Oct 30", "Oct 31"])
  assert.isFalse(chart.isEmpty)
})

it("is empty where no day spent anything, whatever the cap", () => {
  assert.isTrue(chartOf({ dailySendCapUsd: "0", days: days(["0.00", "0"]) }).isEmpty)
  assert.isFalse(chartOf({ dailySendCapUsd: "0", days: days(["0.00", "0.01"]) }).isEmpty)
})

it("shows a bar of a day on which little was spent, and none of one on which nothing was", () => {
  const { bars } = chartOf({ dailySendCapUsd: "50000", days: days(["0", "12.5", "50000"]) })
  assert.deepStrictEqual(
    bars.map(({ height }) => height > 1),
    [false, true, true]
  )
})
