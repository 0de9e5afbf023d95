/** V8's flags stand only while the embedded engine is opened: what was compiled under others is not taken from a cache. */
import { cachedDataVersionTag } from "node:v8"
import { assert, it } from "vitest"
import { compiledQuickly } from "../../../adapters/postgres/quick-code.ts"

it("other flags stand while the engine is opened, and the usual ones once the last one is open", async () => {
  const usual = cachedDataVersionTag()
  let letGo = () => {}
  const first = compiledQuickly(
    () => new Promise<number>((resolve) => (letGo = () => resolve(cachedDataVersionTag())))
  )
  const second = await compiledQuickly(async () => cachedDataVersionTag())
  assert.notStrictEqual(second, usual)
  assert.strictEqual(cachedDataVersionTag(), second)
  letGo()
  assert.strictEqual(await first, second)
  assert.strictEqual(cachedDataVersionTag(), usual)
})

it("the usual flags stand again after an engine that could not be opened", async () => {
  const usual = cachedDataVersionTag()
  const failed = await compiledQuickly(() => Promise.reject(new Error("no such folder"))).catch(
    String
  )
  assert.strictEqual(failed, "Error: no such folder")
  assert.strictEqual(cachedDataVersionTag(), usual)
})
