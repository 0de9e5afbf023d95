/**
 * The objects of one array in a JSON text, one at a time as the text comes: an answer of tens of megabytes is
 * read without ever being whole in memory. Everything around the array is passed over.
 */

/** An object that is larger is not one of ours. */
const maxItemBytes = 64 * 1024

const [quote, backslash, open, close, openList, closeList] = Array.from('"\\{}[]', (character) =>
  character.charCodeAt(0)
) as [number, number, number, number, number, number]

/** Where in the text the reader is: how deep, whether inside a string, and in which object. */
interface Place {
  depth: number
  isInString: boolean
  isEscaped: boolean
  /** The depth of the array's own items; undefined until it is found. */
  itemDepth: number | undefined
  item: Array<number> | undefined
  isTooLarge: boolean
}

const enter = (place: Place, byte: number): void => {
  place.depth += 1
  // The first array below the top is the one that is meant.
  if (byte === openList && place.itemDepth === undefined) place.itemDepth = place.depth + 1
  if (byte === open && place.depth === place.itemDepth) {
    place.item = []
    place.isTooLarge = false
  }
}

/** Takes one byte; gives the text of an object when it is whole. */
const take = (place: Place, byte: number): string | undefined => {
  if (place.isInString) {
    if (place.isEscaped) place.isEscaped = false
    else if (byte === backslash) place.isEscaped = true
    else if (byte === quote) place.isInString = false
    keep(place, byte)
    return undefined
  }
  if (byte === quote) place.isInString = true
  if (byte === open || byte === openList) enter(place, byte)
  keep(place, byte)
  if (byte !== close && byte !== closeList) return undefined
  const isWhole = byte === close && place.depth === place.itemDepth && place.item !== undefined
  place.depth -= 1
  // Behind the end of the array nothing is an item of it.
  if (place.itemDepth !== undefined && place.depth < place.itemDepth - 1) place.itemDepth = 0
  if (!isWhole) return undefined
  const text = place.isTooLarge ? undefined : Buffer.from(place.item ?? []).toString("utf8")
  place.item = undefined
  return text
}

const keep = (place: Place, byte: number): void => {
  if (place.item === undefined) return
  if (place.item.length >= maxItemBytes) place.isTooLarge = true
  else place.item.push(byte)
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The objects in the order of the text; true at the end when there was such an array and it was whole. */
export async function* items(
  chunks: AsyncIterable<Uint8Array>
): AsyncGenerator<unknown, boolean, void> {
  const place: Place = {
    depth: 0,
    isInString: false,
    isEscaped: false,
    itemDepth: undefined,
    item: undefined,
    isTooLarge: false
  }
  for await (const chunk of chunks) {
    for (const byte of chunk) {
      const text = take(place, byte)
      if (text !== undefined) yield parsed(text)
    }
  }
  return place.itemDepth !== undefined && place.depth === 0
}
