/** A QR code as one SVG path, a run of dark cells at a time. */
import { encode } from "uqr"

export interface QrCode {
  /** Cells on a side. */
  readonly size: number
  /** Where it is dark, as the `d` of a path. */
  readonly path: string
}

const rowPath = (row: ReadonlyArray<boolean>, y: number): string => {
  let path = ""
  for (let x = 0; x < row.length; x++) {
    if (!row[x]) continue
    const start = x
    while (row[x + 1]) x++
    path += `M${start} ${y}h${x - start + 1}v1H${start}z`
  }
  return path
}

export const qrCode = (payload: string): QrCode => {
  const { data, size } = encode(payload, { ecc: "M", border: 0 })
  return { size, path: data.map(rowPath).join("") }
}
