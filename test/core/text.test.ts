/** A stranger's words as they may be shown: visible, one line, bounded. */
import { assert, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import { line } from "../../core/books/format.ts"
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
  // Of a wallet it has two characters at least, of others one, as many have in Chinese.
  const isNickname = Schema.is(Text.Nickname)
  for (const short of ["\u5468", "X", "🏦"]) {
    assert.isFalse(isName(short), short)
    assert.isTrue(isNickname(short), short)
  }
  for (const none of ["", " ", "\u2800", "x".repeat(65)]) assert.isFalse(isNickname(none))
})

it("joiners stand where letters or emoji are joined, and nowhere else", () => {
  const isLine = Schema.is(Text.Line(64))
  const words = [
    "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", // Persian: I want
    "PDF\u200c\u0647\u0627", // Persian: PDFs
    "\u0915\u094d\u200d\u0937", // Devanagari
    "\u0dc1\u0dca\u200d\u0dbb\u0dd3", // Sinhala
    "\u09b0\u200d\u09cd\u09af" // Bengali
  ]
  const pictures = [
    "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}", // a family
    "\u{1f469}\u{1f3fd}\u200d\u{1f680}", // an astronaut
    "\u{1f3f3}\ufe0f\u200d\u{1f308}", // a flag
    "\u2764\ufe0f\u200d\u{1f525}", // a burning heart
    "\u{1f468}\u200d\u{1f9b0}" // red hair
  ]
  for (const text of [...words, ...pictures]) {
    assert.isTrue(isLine(text), text)
    assert.isTrue(Schema.is(Text.Name)(`${text} 1`), text)
    assert.isTrue(Schema.is(Text.Prose(64))(`${text}\n`), text)
    assert.strictEqual(Text.tamed(text, 64), text)
  }
  for (const joiner of ["\u200c", "\u200d"]) {
    const strays = ["", "a", "1", " ", "\u0628", "\u{1f468}"].flatMap((seen) => [
      `${joiner}${seen}`,
      `${seen}${joiner}`,
      `${seen}${joiner}a`,
      `${seen}${joiner}${joiner}\u0628`,
      `\u202e${joiner}\u0628${seen}`
    ])
    for (const text of [...strays, `US${joiner}DC`, `\u0628 ${joiner}\u0628`]) {
      assert.isFalse(isLine(text), JSON.stringify(text))
      assert.notInclude(Text.tamed(text, 64), joiner, JSON.stringify(text))
    }
  }
  assert.isFalse(isLine("\u{1f468}\u200c\u{1f469}"))
  assert.isFalse(isLine("\u{1f3f4}\u{e0067}\u{e007f}"))
  // A ledger keeps words whole too.
  assert.strictEqual(line("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"), words[0])
  assert.strictEqual(line("a\u200b\u202e\u0007b"), "a b")
  // What a cut leaves at the end joins nothing.
  assert.strictEqual(Text.tamed("\u0628\u200c\u0628", 2), "\u0628")
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
