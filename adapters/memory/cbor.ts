/** Reads the little CBOR (RFC 8949) that authenticators write: numbers, bytes, text, lists and maps of known length. */

export type Value = number | string | Uint8Array | ReadonlyArray<Value> | ReadonlyMap<Value, Value>

interface Read<A> {
  readonly value: A
  /** Where what follows begins. */
  readonly end: number
}

const deepest = 4

const headOf = (bytes: Uint8Array, at: number) => {
  const first = bytes[at]
  if (first === undefined) throw new Error("The CBOR breaks off.")
  const [major, short] = [first >> 5, first & 31]
  if (short < 24) return { major, length: short, end: at + 1 }
  const size = [1, 2, 4][short - 24]
  const end = at + 1 + (size ?? 0)
  if (size === undefined || end > bytes.length) throw new Error("A CBOR length is odd.")
  return {
    major,
    length: bytes.subarray(at + 1, end).reduce((sum, byte) => sum * 256 + byte, 0),
    end
  }
}

/** The value that begins at a place; throws for anything else than a whole one. */
export const read = (bytes: Uint8Array, at = 0, depth = 0): Read<Value> => {
  if (depth > deepest) throw new Error("The CBOR is too deep.")
  const { end, length, major } = headOf(bytes, at)
  switch (major) {
    case 0:
      return { value: length, end }
    case 1:
      return { value: -1 - length, end }
    case 2:
    case 3: {
      const piece = bytes.subarray(end, end + length)
      if (piece.length !== length) throw new Error("The CBOR breaks off.")
      const value = major === 2 ? piece : new TextDecoder().decode(piece)
      return { value, end: end + length }
    }
    case 4:
    case 5: {
      const values: Array<Value> = []
      let next = end
      for (let count = 0; count < length * (major - 3); count++) {
        const part = read(bytes, next, depth + 1)
        values.push(part.value)
        next = part.end
      }
      const pairs = values.flatMap(
        (key, n): Array<[Value, Value]> => (n % 2 === 0 ? [[key, values[n + 1] as Value]] : [])
      )
      return { value: major === 4 ? values : new Map(pairs), end: next }
    }
    default:
      throw new Error("The CBOR holds what no authenticator writes.")
  }
}
