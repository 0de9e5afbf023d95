/** A stranger's words as they may be shown: visible, one line, bounded. */
import { assert, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Text from "../../core/encoding/text.ts"
import * as Page from "../../core/operation/page.ts"
import * as Timestamp from "../../core/time/timestamp.ts"
import { names } from "../support/hostile-names.ts"
import { isInOnePiece } from "../support/in-one-piece.ts"

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

it("a name has something to see", () => {
  const isName = Schema.is(Text.Name)
  for (const blank of ["  ", "\u00a0\u2003", "\u2800\u2800", " \u2800\u{1d159}"]) {
    assert.isFalse(isName(blank), JSON.stringify(blank))
    assert.strictEqual(Text.tamed(blank, 64), "?")
  }
  for (const name of ["Corner Shop", "\u2801\u2803", "🏦🏦"]) assert.isTrue(isName(name), name)
})

it("what rows of an answer are made of is text in one piece, as JSON is written slower of any other", () => {
  const createdAt = DateTime.makeUnsafe(1_900_000_000_123)
  const id = "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"
  const address = Address.parse("base", "0x8ba1f109551bd432803012645ac136ddd64dba72")
  const { nextCursor } = Page.answer({ rows: [], next: { createdAt, id } })
  assert.isFalse(isInOnePiece(`${id}${id.at(-1)}`))
  for (const text of [address, nextCursor, Timestamp.format(createdAt)]) {
    assert.isTrue(typeof text === "string" && isInOnePiece(text))
  }
})
