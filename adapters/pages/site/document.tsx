/**
 * The frame of every page: one style sheet, at most one script, and the facts that script starts from.
 * Nothing is written into it unescaped.
 */
import type { ComponentChildren } from "preact"

export interface Frame {
  readonly title: string
  /** As an HTML page names it; English when left out. */
  readonly language?: string | undefined
  /** An image in itself; none when left out. */
  readonly icon?: string | undefined
  /** Addresses on this site. */
  readonly style: string
  readonly script?: string | undefined
  /** Rules of style that only this page has. */
  readonly rules?: string | undefined
  /** What the script starts from; it finds it as JSON in `#facts`. */
  readonly facts?: unknown
  /** How often a browser without scripts asks again; never, when left out. */
  readonly refreshSeconds?: number | undefined
  readonly children: ComponentChildren
}

/** JSON that no parser of HTML takes for the end of its element. */
const inert = (facts: unknown) => ({ __html: JSON.stringify(facts).replaceAll("<", "\\u003c") })

export const Document = ({
  title,
  language = "en",
  icon = "data:,",
  style,
  script,
  rules,
  facts,
  refreshSeconds,
  children
}: Frame) => (
  <html lang={language}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
      <meta name="robots" content="noindex" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      <link rel="icon" href={icon} />
      <link rel="stylesheet" href={style} />
      {rules !== undefined && <style dangerouslySetInnerHTML={{ __html: rules }} />}
      {refreshSeconds !== undefined && (
        <noscript>
          <meta http-equiv="refresh" content={String(refreshSeconds)} />
        </noscript>
      )}
    </head>
    <body>
      <div id="page">{children}</div>
      {facts !== undefined && (
        <script type="application/json" id="facts" dangerouslySetInnerHTML={inert(facts)} />
      )}
      {script !== undefined && <script type="module" src={script} />}
    </body>
  </html>
)
