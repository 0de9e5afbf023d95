/** The pages below `/docs`: what there is to read, each guide, and what a search found. */
import { areas, areaTitle } from "./areas.ts"
import { page } from "./frame.ts"
import { guide, introOf, titleOf } from "./guides/guides.ts"
import { type GuideName, groups } from "./guides/names.ts"
import { html, prose } from "./markup.ts"
import { excerptOf, found } from "./search.ts"

const guideEntry = (name: GuideName) =>
  html`<p><a href="/docs/${name}">${titleOf(name)}</a><br><span class="soft">${prose(introOf(name))}</span></p>`

const areaEntry = ([area, members]: readonly [
  string,
  ReadonlyArray<{ readonly operation: { readonly name: string } }>
]) =>
  html`<p><a href="/docs/api/${area}">${areaTitle(area)}</a><br><span class="soft">${members.map(({ operation }, at) => html`${at === 0 ? "" : ", "}<a href="/docs/api/${area}#${operation.name}">${operation.name}</a>`)}</span></p>`

export const contents = (): string =>
  page({
    title: "Bursar manual",
    description: "The manual of Bursar, a self-hosted USDC treasury: guides, and every operation.",
    content: html`<h1>Manual</h1>
${groups.map(([title, names]) => html`<section><h2 class="name">${title}</h2>${names.map(guideEntry)}</section>`)}
<section><h2 class="name">API</h2>
<p>Every operation over REST, and as a tool of the same name at <code>/api/mcp</code>. <a href="/docs/reference">All on one page</a> &middot; <a href="/docs/errors">Errors</a> &middot; <a href="/openapi.json">OpenAPI</a></p>
${[...areas].map(areaEntry)}</section>`
  })

export const guidePage = (name: GuideName): string =>
  page({
    title: `${titleOf(name)} · Bursar`,
    description: introOf(name),
    content: html`<p class="soft"><a href="/docs">Manual</a></p><article>${guide(name)}</article>`
  })

export const searchPage = (query: string): string => {
  const sections = found(query)
  const said =
    query.trim() === ""
      ? "Write what you look for into the field above."
      : sections.length === 0
        ? `Nothing in the manual has all of: ${query}`
        : `${sections.length} found for: ${query}`
  return page({
    title: "Search · Bursar manual",
    description: "Finds words in the manual of Bursar.",
    content: html`<h1>Search</h1><p role="status">${said}</p>
${sections.map((section) => html`<p><a href="${section.href}">${section.title}</a><br><span class="soft">${excerptOf(section, query)}</span></p>`)}`,
    query
  })
}
