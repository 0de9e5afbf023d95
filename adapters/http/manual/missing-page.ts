/** What a browser gets at an address that leads nowhere. Programs get the refusal as JSON, at the same status. */

import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import type { Refusal } from "../../../core/operation/refusal.ts"
import { contentType, headers, page } from "./frame.ts"
import { html } from "./markup.ts"

type Asking = Pick<HttpServerRequest.HttpServerRequest, "method" | "url" | "headers">

/** Whoever asks for a page follows a link; nothing of the API is a page. */
export const isWanted = ({ headers, method, url }: Asking, { _tag }: Refusal): boolean =>
  _tag === "NOT_FOUND" &&
  (method === "GET" || method === "HEAD") &&
  !url.startsWith("/api/") &&
  (headers.accept ?? "").includes("text/html")

let text: string | undefined

export const missingPage = () => {
  text ??= page({
    title: "Not found",
    description: "There is nothing at this address.",
    content: html`<h1>There is nothing at this address</h1>
<p>The link may be incomplete, or older than what it led to. If somebody sent it to you, ask for it again.</p>
<ul><li><a href="/">Start page</a></li><li><a href="/docs">Manual</a></li><li><a href="/console">Console</a></li></ul>`
  })
  return HttpServerResponse.text(text, { status: 404, contentType, headers })
}
