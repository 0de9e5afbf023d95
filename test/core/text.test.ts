/** A stranger's words as they may be shown: visible, one line, bounded. */
import { assert, it } from "@effect/vitest"
import * as Text from "../../core/encoding/text.ts"
import { names } from "../support/hostile-names.ts"

it("a stranger's words are one visible line of at most 64 characters in NFC, or a question mark", () => {
  for (const name of names) {
    const tamed = Text.tamed(name, 64)
    assert.isAtMost(Array.from(tamed).length, 64)
    assert.isAtLeast(tamed.length, 1)
    assert.strictEqual(tamed.normalize("NFC"), tamed)
    assert.notMatch(tamed, /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
    assert.notMatch(tamed, /[\u202a-\u202e\u2066-\u2069]/u)
    assert.strictEqual(Text.tamed(tamed, 64), tamed)
  }
})

it("a stranger's words keep what can be read of them", () => {
  assert.strictEqual(Text.tamed("US\u200bDC\u202e", 64), "USDC")
  assert.strictEqual(Text.tamed("\u0041\u030a", 64), "\u00c5")
  assert.strictEqual(Text.tamed("  Wrapped   Ether ✓ ", 64), "Wrapped Ether ✓")
  assert.strictEqual(Text.tamed("🏦".repeat(65), 64), "🏦".repeat(64))
  assert.strictEqual(Text.tamed("", 64), "?")
})
