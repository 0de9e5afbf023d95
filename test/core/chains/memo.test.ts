/** How much text a payment carries, by the bytes of its UTF-8 and by the family of its chain. */
import { assert, it } from "@effect/vitest"
import * as Memo from "../../../core/chains/memo.ts"

it("counts the bytes that UTF-8 takes, whatever the letters", () => {
  for (const text of ["", "Invoice 7", "Überweisung", "€ 12", "発票", "🏦 vault", "e\u0301"]) {
    assert.strictEqual(Memo.bytesOf(text), Buffer.byteLength(text, "utf8"), text)
  }
})

it("Solana carries 256 bytes and no more, chains of the EVM nothing at all", () => {
  assert.isTrue(Memo.isCarried("solana", "m".repeat(256)))
  assert.isFalse(Memo.isCarried("solana", `${"m".repeat(255)}ü`))
  assert.isFalse(Memo.isCarried("base", "m"))
})
