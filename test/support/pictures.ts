/** Small pictures made byte by byte: a real PNG of one colour, and the headers of the other forms. */
import { crc32, deflateSync } from "node:zlib"

const number = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const chunk = (type: string, data: Uint8Array) => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  return Buffer.concat([number(data.length), body, number(crc32(body))])
}

/** A PNG of one grey that any browser draws. */
export const png = (width: number, height: number) => {
  const rows = Buffer.alloc((width + 1) * height, 0x60)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  const bytes = new Uint8Array(
    Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      chunk("IHDR", Buffer.concat([number(width), number(height), Buffer.from([8, 0, 0, 0, 0])])),
      chunk("IDAT", deflateSync(rows)),
      chunk("IEND", Buffer.alloc(0))
    ])
  )
  return { bytes, dataUrl: `data:image/png;base64,${Buffer.from(bytes).toString("base64")}` }
}
