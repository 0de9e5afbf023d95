/**
 * Text that people and agents give us. It is NFC, holds no control, bidirectional or invisible characters (but joiners
 * where letters or emoji are joined) and no lone surrogates, and is bounded, so that beside an amount it does not lie.
 */
import { Schema } from "effect"

/** Scripts in which a joiner or its opposite changes how letters are written, so that words need them. */
const joiningScripts = [
  ...["Arab", "Syrc", "Mand", "Mong", "Nkoo", "Phag", "Adlm", "Rohg", "Sogd"],
  ...["Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"],
  ...["Mymr", "Khmr", "Tibt", "Java", "Bali", "Newa", "Sidd", "Tirh", "Gran", "Modi"]
].map((script) => `\\p{scx=${script}}`)

/** Between letters of such a script, and between the emoji of one picture. Anywhere else nobody sees them. */
const joined = [
  `[\\p{L}\\p{M}\\p{N}][\\u200c\\u200d](?=[[\\p{L}\\p{M}]&&[${joiningScripts.join("")}]])`,
  "\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?\\u200d(?=\\p{Extended_Pictographic})"
]

/** Invisible ones include tag characters, which an agent reads and a person does not; emoji keep their style. */
const hidden = new RegExp(
  "[\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb[\\p{Default_Ignorable_Code_Point}--[\\ufe0e\\ufe0f]]]" +
    `(?<!${joined.join("|")})`,
  "v"
)
const hiddenInProse = new RegExp(`(?![\\n\\t])${hidden.source}`, "v")
const visibleText = "text without control, bidirectional or invisible characters"

/** In code points, as JSON Schema counts; there are never more of them than UTF-16 units. */
export const isLonger = (text: string, most: number): boolean =>
  text.length > most && Array.from(text).length > most

const clean = (
  most: number,
  least: number,
  pattern: RegExp,
  ...rules: ReadonlyArray<typeof notBlank>
) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) => (pattern.test(text) ? `Expected ${visibleText}` : undefined),
      {
        expected: visibleText
      }
    ),
    Schema.makeFilter(
      (text: string) =>
        text.normalize("NFC") === text ? undefined : "Expected text in Unicode form NFC",
      { expected: "text in Unicode form NFC" }
    ),
    ...rules,
    // Last, because what is said of a text in JSON Schema hangs on its last check.
    // In code points, as JSON Schema counts, so that what is published is what is required.
    Schema.isMinCodePoints(least),
    Schema.isMaxCodePoints(most)
  )

/** One line: labels, names, references. */
export const Line = (most: number, least = 1) => clean(most, least, hidden)

/** Several lines: descriptions. */
export const Prose = (most: number) => clean(most, 1, hiddenInProse)

/** Two of Unicode's symbols have no ink: the pattern of Braille without dots, and the note without a head. */
const blanks = /^[\s\u{2800}\u{1d159}]+$/u

const notBlank = Schema.makeFilter(
  (text: string) => (blanks.test(text) ? "Expected a name, not only blanks" : undefined),
  { expected: "a name, not only blanks" }
)

/** The name or nickname of a wallet (spec section 8). One of blanks alone would show a person nothing to approve. */
export const Name = clean(64, 2, hidden, notBlank)

/** What an account calls others. Nothing says that it is longer than a character, as many names are. */
export const Nickname = clean(64, 1, hidden, notBlank)

export const TagKey = Line(64).annotate({
  description: "1 to 64 characters on one line, none of them a control or invisible one"
})
/** A tag may say all by its key. */
export const TagValue = Line(500, 0)

/** Keys that a map of JavaScript may take for its own. */
export const reservedKeys: ReadonlyArray<string> = ["__proto__", "constructor", "prototype"]
export const reservedKeysProblem = "must not have the keys __proto__, constructor and prototype"

/** A flat string map of at most 20 tags. */
export const Tags = Schema.Record(TagKey, TagValue)
  .check(
    Schema.isMaxProperties(20),
    Schema.makeFilter(
      (tags: Readonly<Record<string, string>>) =>
        Object.keys(tags).some((key) => reservedKeys.includes(key))
          ? reservedKeysProblem
          : undefined,
      { expected: "keys other than __proto__, constructor and prototype" }
    )
  )
  .annotate({
    description:
      "At most 20 tags: keys of 1 to 64 characters, none of them `__proto__`, `constructor` or `prototype`, and values of at most 500, which may be empty."
  })

const everyHidden = new RegExp(hidden.source, "gv")

/**
 * A stranger's words as one line that can be shown: in NFC, without what `Line` refuses, cut after so many
 * characters; `?` when nothing is left. It makes them harmless to look at, never true.
 */
export const tamed = (text: string, most: number): string => {
  const bounded = text
    .slice(0, 16 * most)
    .normalize("NFC")
    .replaceAll(everyHidden, "")
  const line = bounded.replaceAll(/\s+/gu, " ").trim().normalize("NFC")
  // A joiner that joined what was cut off is hidden now.
  const cut = Array.from(line).slice(0, most).join("").replaceAll(everyHidden, "").trim()
  return cut === "" || blanks.test(cut) ? "?" : cut
}
