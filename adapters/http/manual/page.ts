/** The manual's pages: the reference of every operation and of every error code, from the catalogue. */
import type * as Refusal from "../../../core/operation/refusal.ts"
import * as Refusals from "../refusals.ts"
import { type Bound, bound, readsQuery } from "../route.ts"
import { areas, areaTitle } from "./areas.ts"
import { page } from "./frame.ts"
import { type JsonSchema, ofInput } from "./json-schema.ts"
import { html, prose } from "./markup.ts"
import { refusalsOf, served } from "./openapi.ts"

const typeOf = (schema: JsonSchema): string => {
  if (schema.enum !== undefined)
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" or ")
  const types = [schema.type ?? "any"].flat().join(" or ")
  return schema.items === undefined ? types : `${types} of ${typeOf(schema.items)}`
}

const rangeOf = ({ maximum, maxLength, minimum, minLength }: JsonSchema): string => {
  if (minimum !== undefined || maximum !== undefined) return `${minimum ?? ""}–${maximum ?? ""}`
  if (maxLength !== undefined) return `${minLength ?? 0}–${maxLength} characters`
  return ""
}

const place = ({ route }: Bound, name: string): string =>
  route.pathFields.includes(name) ? "path" : readsQuery(route.method) ? "query" : "body"

const fieldRows = (one: Bound) => {
  const { properties = {}, required = [] } = ofInput(one.operation)
  return Object.entries(properties).map(
    ([name, schema]) => html`<tr>
<td><code>${name}</code></td>
<td class="soft">${place(one, name)}${required.includes(name) ? ", required" : ""}</td>
<td>${typeOf(schema)} <span class="soft">${rangeOf(schema)}</span><br>${prose(schema.description ?? "")}</td>
</tr>`
  )
}

const fields = (one: Bound) => {
  const rows = fieldRows(one)
  return rows.length === 0
    ? html`<p class="soft">Takes no fields.</p>`
    : html`<div class="scroll" tabindex="0" role="group" aria-label="Fields of ${one.operation.name}"><table><thead><tr><th>Field</th><th>In</th><th>Holds</th></tr></thead><tbody>${rows}</tbody></table></div>`
}

const address = ({ route }: Bound) =>
  `${route.path}${route.action === undefined ? "" : `?action=${route.action}`}`

/** The call as a shell would make it. */
const curl = (one: Bound, siteUrl: string): string => {
  const { input } = one.operation.example
  const { method, pathFields } = one.route
  const path = pathFields.reduce(
    (text, name) => text.replace(`:${name}`, String(input[name] ?? `<${name}>`)),
    address(one)
  )
  const body = Object.fromEntries(
    Object.entries(input).filter(([name]) => !pathFields.includes(name))
  )
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${siteUrl}${path}`,
    `  -H "Authorization: Bearer $API_KEY"`,
    ...(one.operation.sideEffect === "read" ? [] : [`  -H "Idempotency-Key: $(uuidgen)"`]),
    ...(readsQuery(method) || Object.keys(body).length === 0
      ? []
      : [`  -H "Content-Type: application/json"`, `  -d '${JSON.stringify(body)}'`])
  ].join(" \\\n")
}

const codeLinks = (classes: ReadonlyArray<Refusal.Class>) =>
  classes.map(({ code }) => html`<a href="/docs/errors#${code}"><code>${code}</code></a> `)

const entry = (one: Bound, siteUrl: string) => {
  const { operation, route } = one
  return html`<section id="${operation.name}">
<h3 class="name"><a href="#${operation.name}">${operation.name}</a></h3>
<p><span class="method">${route.method}</span> <code>${address(one)}</code></p>
<p>${prose(operation.summary)}</p>
<p class="soft">Scope <code>${operation.scope}</code>. Next: ${prose(operation.next)}</p>
${fields(one)}
<pre tabindex="0"><code>${curl(one, siteUrl)}</code></pre>
<p class="soft">Errors: ${codeLinks(refusalsOf(one))}</p>
</section>`
}

const entries = (members: ReadonlyArray<Bound>, siteUrl: string) => [
  html`<nav aria-label="Operations"><ul>${members.map(({ operation }) => html`<li><a href="#${operation.name}">${operation.name}</a></li>`)}</ul></nav>`,
  members.map((one) => entry(one, siteUrl))
]

/** The operations of one area. */
export const area = (name: string, members: ReadonlyArray<Bound>, siteUrl: string): string =>
  page({
    title: `${areaTitle(name)} · Bursar API`,
    description: `${areaTitle(name)} over REST: ${members.map(({ operation }) => operation.name).join(", ")}.`,
    content: html`<p class="soft"><a href="/docs">Manual</a></p><h1>${areaTitle(name)}</h1>
<h2>Operations</h2>${entries(members, siteUrl)}`
  })

export const reference = (siteUrl: string): string =>
  page({
    title: "Bursar reference",
    description: "Every operation of Bursar over REST, with its fields and an example.",
    content: html`<p class="soft"><a href="/docs">Manual</a></p><h1>Reference</h1>
<p>Every operation over REST. Each is a tool of the same name at <code>/api/mcp</code>. Send your key as <code>Authorization: Bearer</code>. A success is <code>{ "ok": true, "data": &hellip; }</code>; an error is <code>{ "ok": false, "error": &hellip; }</code> with one of the <a href="/docs/errors">error codes</a>. The same as a document for machines: <a href="/openapi.json">OpenAPI</a>.</p>
<nav aria-label="Operations"><ul>${bound.map(({ operation }) => html`<li><a href="#${operation.name}">${operation.name}</a></li>`)}</ul></nav>
${[...areas].map(([name, members]) => html`<h2>${areaTitle(name)}</h2>${members.map((one) => entry(one, siteUrl))}`)}`
  })

export const errors = (): string =>
  page({
    title: "Bursar errors",
    description: "Every error code of Bursar: what it means, and whether anything was done.",
    content: html`<h1>Errors</h1>
<p>Codes are never renamed. <code>outcome</code> says whether the refused call changed anything: <code>not_executed</code>, <code>executed</code>, or <code>unknown</code> when money may have moved and you must look before you try again. <a href="/docs">All operations</a>.</p>
${served().map(
  ({ code, kind, meaning, retryable }) => html`<section id="${code}">
<h2 class="name"><a href="#${code}">${code}</a></h2>
<p>${prose(meaning)}</p>
<p class="soft">Status ${Refusals.statusOf(code, kind)}, type <code>${kind}</code>${retryable ? "; the same call may succeed later" : ""}.</p>
</section>`
)}`
  })
