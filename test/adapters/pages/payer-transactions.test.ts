/** What a payer reads when no transaction was made for their wallet. */
import { assert, it } from "@effect/vitest"
import { refusalIn } from "../../../adapters/pages/checkout/standard-wallet.ts"
import { languages } from "../../../adapters/pages/checkout/words/languages.ts"

it("tells an account that cannot pay and too many attempts from a network that is away", () => {
  const words = languages.en
  assert.deepStrictEqual(
    [400, 404, 429, 503].map((status) => refusalIn(status, words)),
    [words.otherAccount, words.notPayable, words.tooOften, words.notReady]
  )
  assert.strictEqual(new Set(Object.values(words)).size, Object.values(words).length)
})
