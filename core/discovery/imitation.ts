/**
 * Whether a token dresses up as another: letters of other alphabets, digits and signs that look like ours, or
 * marks on top. Only the contract says what a token is; a name that looks like USDC says that somebody lies.
 */

/** What looks like a Latin letter, in lower case, after marks on top were taken off. */
const latinOf: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    a: "аαɑ４@",
    b: "ьвβʙ",
    c: "сϲⅽ¢ᴄ",
    d: "ԁɗⅾđðᴅ",
    e: "еεҽ℮є€",
    f: "ƒ",
    g: "ɡɢ",
    h: "һнʜ",
    i: "іιı1l|!ⅼɪ",
    j: "јʝ",
    k: "кκ",
    m: "мⅿᴍ",
    n: "ոпɴη",
    o: "оοօ0øσ",
    p: "рρ",
    q: "ԛ",
    r: "гʀ",
    s: "ѕ5$ꜱş",
    t: "тτᴛ†",
    u: "υսцµᴜ",
    v: "νѵᴠ",
    w: "ԝωшᴡ",
    x: "хχ×",
    y: "уүγʏ",
    z: "ᴢƶ"
  }).flatMap(([letter, likes]) => Array.from(likes, (like) => [like, letter]))
)

/** What the eye reads: compatibility forms folded, marks and signs gone, look-alikes replaced. */
export const skeleton = (text: string): string =>
  Array.from(text.normalize("NFKD").toLowerCase())
    .map((character) => latinOf[character] ?? character)
    .join("")
    .replaceAll(/[^\p{L}\p{N}]/gu, "")

/** A token that others dress up as. */
export interface Original {
  readonly symbol: string
  readonly name: string
}

/** Endings that bridges and forks put behind a symbol: still not the token itself. */
const endings = ["", "e", "b", "bridged", "v2"]

const isDressedAs = (text: string, original: string): boolean => {
  const [seen, meant] = [skeleton(text), skeleton(original)]
  return meant !== "" && endings.some((ending) => seen === meant + ending)
}

/** The symbol that a token of another contract passes itself off as; null for none. */
export const imitated = (
  { name, symbol }: Original,
  originals: ReadonlyArray<Original>
): string | null =>
  originals.find(
    (original) => isDressedAs(symbol, original.symbol) || isDressedAs(name, original.name)
  )?.symbol ?? null
