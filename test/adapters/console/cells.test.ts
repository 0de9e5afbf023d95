/** Cells of the console's tables: what a value is written as, and where it leads. */
import { assert, it } from "@effect/vitest"
import { transaction } from "../../../adapters/pages/console/parts/cells.ts"

it("a transaction leads to its page where its chain has an explorer", () => {
  const hash = `0x${"ab".repeat(32)}`
  assert.deepInclude(transaction("base", hash), { href: `https://basescan.org/tx/${hash}` })
  assert.deepStrictEqual(transaction("local", hash), { text: hash, code: true })
  assert.deepStrictEqual(transaction("base", null), { text: "", code: true })
})
