/** Answers with a page: the frame around what it shows, rendered here, under the headers of every page. */
import "../tsx.ts"
import { HttpServerResponse } from "effect/http"
import { renderToString } from "preact-render-to-string"
import { urlOf } from "./assets.ts"
import type { Frame } from "./document.tsx"
import { headersWith } from "./headers.ts"
import type { AssetName } from "./islands.ts"

const { Document } = await import("./document.tsx")

export interface Page extends Omit<Frame, "style" | "script"> {
  readonly style: AssetName
  readonly script?: AssetName
}

/** The page as text. */
export const markupOf = ({ style, script, ...frame }: Page): string =>
  `<!doctype html>${renderToString(
    Document({
      ...frame,
      style: urlOf(style),
      script: script === undefined ? undefined : urlOf(script)
    })
  )}`

export const page = (shown: Page, status = 200) =>
  HttpServerResponse.text(markupOf(shown), {
    status,
    headers: headersWith(shown.rules),
    contentType: "text/html; charset=utf-8"
  })
