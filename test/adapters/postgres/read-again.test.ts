/** What a statement and its parameters are known by: the same words and values, whoever says them. */
import { assert, it } from "@effect/vitest"
import { keyOf } from "../../../adapters/postgres/read-again.ts"

const [one, other] = ["select a from b where c = $1", "select a from d where c = $1"] as const

it("the same question is known again, by whatever list its values come in", () => {
  const at = new Date(1_700_000_000_000)
  const values = () => ["id", ["id"], 7n, null, at]
  assert.strictEqual(keyOf(one, values()), keyOf(one, values()))
  assert.notStrictEqual(keyOf(one, [7n]), keyOf(one, [8n]))
  assert.notStrictEqual(keyOf(one, [null]), keyOf(one, ["null"]))
})

it("two statements over one list are two questions, also when they take turns", () => {
  const shared = ["id"]
  const keys = [one, other, one, other].map((statement) => keyOf(statement, shared))
  assert.deepStrictEqual(keys, [keys[0], keys[1], keys[0], keys[1]])
  assert.notStrictEqual(keys[0], keys[1])
})
