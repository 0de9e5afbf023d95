/** A search in what rows say: part of any text, where the case of A to Z alone does not matter. */

const folded = (text: string): string =>
  text.replaceAll(/[A-Z]/gu, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32))

export const contains = (
  texts: ReadonlyArray<string | null | undefined>,
  search: string | undefined
): boolean => {
  if (search === undefined) return true
  const wanted = folded(search)
  return texts.some((text) => text !== undefined && text !== null && folded(text).includes(wanted))
}
