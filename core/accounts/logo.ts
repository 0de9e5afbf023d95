/**
 * A merchant's logo: a small raster picture. Its bytes say what it is and how large; nothing else that is said of it
 * is believed, and what is not plainly a picture is none.
 */
import * as Base64 from "../encoding/base64.ts"

export interface Logo {
  readonly type: "image/png" | "image/jpeg" | "image/webp"
  readonly bytes: Uint8Array
  /** In pixels. */
  readonly width: number
  readonly height: number
}

/** A logo is shown at the height of a line; as much as that takes, and no photograph. */
export const maxBytes = 24_000

/** A few bytes can unpack to more pixels than a phone has memory for. */
export const maxSide = 2048

type Size = readonly [width: number, height: number]

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const textAt = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length))

const pngSize = (bytes: Uint8Array): Size | undefined => {
  if (textAt(bytes, 0, 16) !== "\x89PNG\r\n\x1a\n\0\0\0\rIHDR" || bytes.length < 33) {
    return undefined
  }
  const view = viewOf(bytes)
  return [view.getUint32(16), view.getUint32(20)]
}

/** The frame header (SOF0 to SOF15) holds the size; 0xc4, 0xc8 and 0xcc in that row are other things. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const jpegSize = (bytes: Uint8Array): Size | undefined => {
  if (textAt(bytes, 0, 2) !== "\xff\xd8") return undefined
  const view = viewOf(bytes)
  let at = 2
  while (at + 9 <= bytes.length && view.getUint8(at) === 0xff) {
    if (isFrame(view.getUint8(at + 1))) return [view.getUint16(at + 7), view.getUint16(at + 5)]
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const webpSize = (bytes: Uint8Array): Size | undefined => {
  if (textAt(bytes, 0, 4) !== "RIFF" || textAt(bytes, 8, 4) !== "WEBP" || bytes.length < 30) {
    return undefined
  }
  const view = viewOf(bytes)
  switch (textAt(bytes, 12, 4)) {
    case "VP8 ":
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff]
    case "VP8L": {
      const bits = view.getUint32(21, true)
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
    }
    case "VP8X":
      return [(view.getUint32(24, true) & 0xffffff) + 1, (view.getUint32(26, true) >>> 8) + 1]
    default:
      return undefined
  }
}

const readers = {
  "image/png": pngSize,
  "image/jpeg": jpegSize,
  "image/webp": webpSize
} as const

const isShowable = (side: number) => side > 0 && side <= maxSide

/** The logo that bytes are, or undefined. */
export const read = (bytes: Uint8Array): Logo | undefined => {
  if (bytes.length > maxBytes) return undefined
  for (const type of ["image/png", "image/jpeg", "image/webp"] as const) {
    const [width = 0, height = 0] = readers[type](bytes) ?? []
    if (isShowable(width) && isShowable(height)) return { type, bytes, width, height }
  }
  return undefined
}

/** As `data:image/png;base64,…`, the form it is kept in. */
export const dataUrlOf = ({ bytes, type }: Logo): string =>
  `data:${type};base64,${Base64.encode(bytes)}`

const prefix = /^data:(image\/[a-z]+);base64,/u

/** The logo of a `data` URL, whose type must be that of its bytes; undefined for anything else. */
export const ofDataUrl = (text: string): Logo | undefined => {
  const [said = "", type] = prefix.exec(text) ?? []
  const bytes = type === undefined ? undefined : Base64.decode(text.slice(said.length))
  const logo = bytes === undefined ? undefined : read(bytes)
  return logo?.type === type ? logo : undefined
}
