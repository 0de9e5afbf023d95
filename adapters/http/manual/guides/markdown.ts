/**
 * Turns our own manual from Markdown into HTML: headings, paragraphs, lists, tables, code and links. It reads no
 * HTML, so nothing in a text becomes markup that was not written as Markdown.
 */
import { html, Markup } from "../markup.ts"

/** The anchor of a heading, as it is linked to on other pages. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
    .replaceAll(" ", "-")

/** Where a link of the manual leads on this site; undefined where nothing is served. */
export type LinkTo = (target: string) => string | undefined

const marks = /`([^`]+)`|\*\*([^*]+)\*\*|!?\[([^\]]*)\]\(([^)\s]+)\)/gu

/** Text with code, bold words and links. */
const inline = (text: string, linkTo: LinkTo): Markup => {
  const parts: Array<Markup | string> = []
  let from = 0
  for (const match of text.matchAll(marks)) {
    const [whole, code, bold, label = "", target = ""] = match
    parts.push(text.slice(from, match.index))
    from = match.index + whole.length
    if (code !== undefined) parts.push(html`<code>${code}</code>`)
    else if (bold !== undefined) parts.push(html`<strong>${inline(bold, linkTo)}</strong>`)
    else {
      const href = linkTo(target)
      const shown = inline(label, linkTo)
      parts.push(href === undefined ? shown : html`<a href="${href}">${shown}</a>`)
    }
  }
  parts.push(text.slice(from))
  return html`${parts}`
}

const cellsOf = (row: string): ReadonlyArray<string> =>
  row
    .trim()
    .replace(/^\||\|$/gu, "")
    .split(/(?<!\\)\|/u)
    .map((cell) => cell.trim().replaceAll("\\|", "|"))

const tableOf = (rows: ReadonlyArray<string>, linkTo: LinkTo): Markup => {
  const [head = "", , ...body] = rows
  const names = cellsOf(head)
  return html`<div class="scroll" tabindex="0" role="group" aria-label="Table: ${names.join(", ")}"><table><thead><tr>${names.map((name) => html`<th>${inline(name, linkTo)}</th>`)}</tr></thead><tbody>${body.map(
    (row) => html`<tr>${cellsOf(row).map((cell) => html`<td>${inline(cell, linkTo)}</td>`)}</tr>`
  )}</tbody></table></div>`
}

const bullet = /^(\s*)(?:-|\d+\.) (.*)$/u

interface Item {
  readonly depth: number
  readonly isNumbered: boolean
  readonly text: string
}

const itemsOf = (lines: ReadonlyArray<string>): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  for (const line of lines) {
    const [, indent, text = ""] = bullet.exec(line) ?? []
    const last = items.at(-1)
    if (indent !== undefined) {
      items.push({ depth: indent.length, isNumbered: /^\s*\d/u.test(line), text })
    } else if (last !== undefined) {
      items[items.length - 1] = { ...last, text: `${last.text} ${line.trim()}` }
    }
  }
  return items
}

const listOf = (items: ReadonlyArray<Item>, linkTo: LinkTo): Markup => {
  const [first] = items
  if (first === undefined) return html``
  const entries: Array<Markup> = []
  for (let at = 0; at < items.length; ) {
    const { text } = items[at] as Item
    let end = at + 1
    while ((items[end]?.depth ?? 0) > first.depth) end += 1
    entries.push(html`<li>${inline(text, linkTo)}${listOf(items.slice(at + 1, end), linkTo)}</li>`)
    at = end
  }
  return first.isNumbered ? html`<ol>${entries}</ol>` : html`<ul>${entries}</ul>`
}

const headingOf = (line: string, linkTo: LinkTo): Markup => {
  const [marks = "#"] = /^#+/u.exec(line) ?? []
  const text = line.slice(marks.length + 1)
  const tag = new Markup(`h${marks.length}`)
  return html`<${tag} id="${slugOf(text)}" class="heading">${inline(text, linkTo)}</${tag}>`
}

const startsBlock = (line: string) => /^(#{1,6} |```|\||\s*(?:-|\d+\.) |<!--)/u.test(line)

/** The lines from here on that belong together. */
const run = (
  lines: ReadonlyArray<string>,
  at: number,
  belongs: (line: string) => boolean
): ReadonlyArray<string> => {
  let end = at
  while (end < lines.length && belongs(lines[end] ?? "")) end += 1
  return lines.slice(at, end)
}

/** One block, and how many lines it took. */
const blockAt = (
  lines: ReadonlyArray<string>,
  at: number,
  linkTo: LinkTo
): readonly [Markup, number] => {
  const line = lines[at] ?? ""
  if (line.trim() === "") return [html``, 1]
  if (line.startsWith("<!--")) {
    const comment = run(lines, at, (each) => !each.includes("-->"))
    return [html``, comment.length + 1]
  }
  if (line.startsWith("```")) {
    const code = run(lines, at + 1, (each) => !each.startsWith("```"))
    return [html`<pre tabindex="0"><code>${code.join("\n")}</code></pre>`, code.length + 2]
  }
  if (/^#{1,6} /u.test(line)) return [headingOf(line, linkTo), 1]
  if (line.startsWith("|")) {
    const rows = run(lines, at, (each) => each.startsWith("|"))
    return [tableOf(rows, linkTo), rows.length]
  }
  if (bullet.test(line)) {
    const list = run(lines, at, (each) => bullet.test(each) || /^\s+\S/u.test(each))
    return [listOf(itemsOf(list), linkTo), list.length]
  }
  const text = [line, ...run(lines, at + 1, (each) => each.trim() !== "" && !startsBlock(each))]
  return [html`<p>${inline(text.join(" "), linkTo)}</p>`, text.length]
}

export const render = (markdown: string, linkTo: LinkTo): Markup => {
  const lines = markdown.split("\n")
  const blocks: Array<Markup> = []
  for (let at = 0; at < lines.length; ) {
    const [block, count] = blockAt(lines, at, linkTo)
    blocks.push(block)
    at += count
  }
  return html`${blocks}`
}
