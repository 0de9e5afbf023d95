/** A QR code as one SVG path, dark on white in every theme, so that any camera reads it. */
import { encode } from "uqr"
import { html, Markup } from "./markup.ts"

const quiet = 2

export const qrCode = (payload: string, label: string): Markup => {
  const { data, size } = encode(payload, { ecc: "M", border: quiet })
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("")
  return html`<svg class="qr" viewBox="0 0 ${size} ${size}" role="img" aria-label="${label}" shape-rendering="crispEdges"><rect width="${size}" height="${size}" fill="#fff"/><path fill="#111" d="${new Markup(path)}"/></svg>`
}
