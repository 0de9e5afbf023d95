/** The checkout page in its languages: every one says everything, with the same places to fill. */
import { assert, describe, it } from "@effect/vitest"
import { leftOf } from "../../../adapters/pages/checkout/left.ts"
import { languageFor, languages } from "../../../adapters/pages/checkout/words/languages.ts"
import { filled, sumIn, type Words } from "../../../adapters/pages/checkout/words/words.ts"

const placesIn = (text: string) =>
  [...text.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name).toSorted()

const keys = Object.keys(languages.en) as ReadonlyArray<keyof Words>

describe.each(Object.entries(languages))("the words in %s", (language, words) => {
  it("fill the same places as in English", () => {
    for (const key of keys) {
      // A space parts thousands in some; it alone may say nothing else.
      const said = key === "thousands" ? words[key] : words[key].trim()
      assert.notStrictEqual(said, "", key)
      assert.deepStrictEqual(placesIn(words[key]), placesIn(languages.en[key]), key)
    }
  })

  it("are its own", () => {
    const borrowed = keys.filter((key) => language !== "en" && words[key] === languages.en[key])
    // The same word in both languages: confirmations and transaction in French, a format of hours in two.
    assert.isAtMost(borrowed.length, 3, borrowed.join(", "))
  })
})

describe("a sum", () => {
  it("has no comma where a comma is the decimal sign, and its point everywhere", () => {
    for (const language of ["de", "es", "fr"] as const) {
      assert.strictEqual(sumIn("1,234,567.50", languages[language]), "1\u202f234\u202f567.50")
    }
    for (const language of ["en", "ja", "zh"] as const) {
      assert.strictEqual(sumIn("1,234,567.50", languages[language]), "1,234,567.50")
    }
  })
})

describe("the language of a page", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["de", "de"],
    ["de-AT,de;q=0.9,en;q=0.8", "de"],
    ["en-GB,de;q=0.9", "en"],
    ["nl,fr;q=0.5,en;q=0.4", "fr"],
    ["zh-Hant-TW", "zh"],
    ["JA", "ja"],
    ["es;q=0.2, fr;q=0.9", "fr"],
    ["es;q=0.5,fr;q=0.5", "es"],
    ["de;q=0", "en"],
    ["de;q=2,fr", "fr"],
    ["de;q=abc", "en"],
    ["*", "en"],
    ["toString,__proto__,constructor", "en"],
    [",;,q=1", "en"],
    [`${"xx,".repeat(100)}de`, "en"]
  ])("for a browser that wants %s is %s", (wanted, language) => {
    assert.strictEqual(languageFor(wanted), language)
  })
})

it("a place is filled with what it is given, as it is, and one that is not given stays empty", () => {
  assert.strictEqual(filled("{a} of {b}{c}", { a: 1, b: "{a} $& $1" }), "1 of {a} $& $1")
})

it("the time left is told in the page's own words", () => {
  const { de, en } = languages
  assert.strictEqual(leftOf(90_500, en), "1:30")
  assert.strictEqual(leftOf(7_380_000, en), "2 h 3 min")
  assert.strictEqual(leftOf(3 * 86_400_000, de), "3 Tage")
  assert.strictEqual(leftOf(-1, en), "0:00")
})
