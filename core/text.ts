/**
 * Text that people and agents give us. It is NFC, holds no control or bidirectional characters and no
 * lone surrogates, and is bounded, so that it can be shown beside an amount without lying about it.
 */
import { Schema } from "effect"

const hidden = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u
const hiddenInLine = /[\p{Cs}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|(?![\n\t])\p{Cc}/u

const clean = (most: number, least: number, pattern: RegExp, what: string) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => (pattern.test(text) ? `Expected ${what}` : undefined), {
      expected: what
    }),
    Schema.makeFilter(
      (text: string) =>
        text.normalize("NFC") === text ? undefined : "Expected text in Unicode form NFC",
      { expected: "text in Unicode form NFC" }
    ),
    // Last, because what is said of a text in JSON Schema hangs on its last check.
    Schema.isMinLength(least),
    Schema.isMaxLength(most)
  )

/** One line: labels, names, references. */
export const Line = (most: number, least = 1) =>
  clean(most, least, hidden, "text without control or bidirectional characters")

/** Several lines: descriptions. */
export const Prose = (most: number) =>
  clean(most, 1, hiddenInLine, "text without control or bidirectional characters")

/** A name or nickname (spec section 8). */
export const Name = Line(64, 2)

export const TagKey = Line(64)
export const TagValue = Line(500)

const forbiddenKeys = new Set(["__proto__", "constructor", "prototype"])

/** A flat string map of at most 20 tags. */
export const Tags = Schema.Record(TagKey, TagValue).check(
  Schema.isMaxProperties(20),
  Schema.makeFilter(
    (tags: Readonly<Record<string, string>>) =>
      Object.keys(tags).some((key) => forbiddenKeys.has(key))
        ? "Expected keys other than __proto__, constructor and prototype"
        : undefined,
    { expected: "keys other than __proto__, constructor and prototype" }
  )
)
