/** What a person may do with a deposit: only what its operation would not refuse. */
import { assert, it } from "@effect/vitest"
import { actsOf } from "../../../adapters/pages/console/deposit-words.ts"

const inputsOf = (candidatePids: ReadonlyArray<string>, status: "open" | "resolved" = "open") =>
  actsOf({ depositId: "d", candidatePids, settlementIssue: "ambiguous", status }).map(
    ({ input }) => input
  )

it("offers each request that may be meant, and to accept only where there is no choice", () => {
  const ignore = { depositId: "d", action: "ignore" }
  const accept = { depositId: "d", action: "accept" }
  assert.deepStrictEqual(inputsOf([]), [accept, ignore])
  assert.deepStrictEqual(inputsOf(["pr_1"]), [accept, ignore])
  assert.deepStrictEqual(inputsOf(["pr_1", "pr_2"]), [
    { depositId: "d", action: "attach", pid: "pr_1" },
    { depositId: "d", action: "attach", pid: "pr_2" },
    ignore
  ])
})

it("leaves those that do not fit to the form, and a resolved deposit alone", () => {
  assert.strictEqual(inputsOf(Array.from({ length: 9 }, (_, at) => `pr_${at}`)).length, 6)
  assert.deepStrictEqual(inputsOf(["pr_1"], "resolved"), [])
})
