/** Cells of the console's tables: what a value is written as, and where it leads. */
import { assert, it } from "@effect/vitest"
import { transaction, usdToCent } from "../../../adapters/pages/console/parts/cells.ts"

it("a transaction leads to its page where its chain has an explorer", () => {
  const hash = `0x${"ab".repeat(32)}`
  assert.deepInclude(transaction("base", hash), { href: `https://basescan.org/tx/${hash}` })
  assert.deepStrictEqual(transaction("local", hash), { text: hash, code: true })
  assert.deepStrictEqual(transaction("base", null), { text: "", code: true })
})

it("a worth is cut to the cent, and a file has all of its digits", () => {
  const { text, whole } = usdToCent("1250.009999")
  assert.deepStrictEqual([text, whole], ["$1,250.00", "$1,250.009999"])
  assert.strictEqual(usdToCent(null).text, "")
})
