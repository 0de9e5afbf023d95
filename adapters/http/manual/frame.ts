/** The frame of the pages that describe the service: one style, no script, and ways to all the others. */
import { createHash } from "node:crypto"
import { html, Markup } from "./markup.ts"
import { style } from "./style.ts"

const styleHash = createHash("sha256").update(style).digest("base64")

/** No script runs on these pages, whatever gets into them. */
export const headers = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer"
}

export const contentType = "text/html; charset=utf-8"

interface Page {
  readonly title: string
  /** What search engines and links to the page show of it. */
  readonly description: string
  readonly content: Markup
  /** What was searched for on this page. */
  readonly query?: string
}

export const page = ({ content, description, query = "", title }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="${description.replaceAll("`", "").replaceAll(/\s+/gu, " ")}">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Markup(style)}</style>
</head>
<body>
<header><nav aria-label="Site"><a href="/">Bursar</a> <a href="/docs">Manual</a> <a href="/console">Console</a></nav>
<form role="search" action="/docs/search"><label for="q">Search the manual</label> <input id="q" name="q" type="search" maxlength="100" value="${query}"> <button>Search</button></form></header>
<main>${content}</main></body>
</html>
`.text
