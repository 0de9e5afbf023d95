/** The page of a list: what it is filtered by, its rows, the next page, and the same as a file. */
import { Console, type Who } from "./frame.tsx"
import { type FormField, Input } from "./input.tsx"
import { useMay } from "./offered.tsx"
import type { Section } from "./sections.ts"
import { Table, type TableProps } from "./table.tsx"

export interface Link {
  readonly href: string
  readonly text: string
}

/** What a list without rows says to whoever has just begun. */
export interface Beginning {
  readonly text: string
  /** The first step, where there is one to take here. */
  readonly first?: Link
}

export interface ListingProps extends TableProps {
  readonly who: Who
  readonly section: Section
  readonly title: string
  readonly intro: string | undefined
  /** Undefined where rows may be there that were not asked for. */
  readonly beginning: Beginning | undefined
  /** The page's own path. */
  readonly path: string
  readonly filters: ReadonlyArray<FormField>
  readonly actions: ReadonlyArray<Link>
  readonly csv: string
  readonly next: string | undefined
  /** Why the list could not be read as it was asked for. */
  readonly problem: string | undefined
}

/** On a phone they are folded away, so that the rows come first. */
const Filters = ({ filters, path }: Pick<ListingProps, "filters" | "path">) =>
  filters.length === 0 ? null : (
    <search>
      <details class="narrow" open={filters.some(({ value }) => value !== "")}>
        <summary>Narrow down</summary>
        <form class="filters" method="get" action={path}>
          {filters.map((field) => (
            <Input key={field.name} field={field} />
          ))}
          <p class="choices">
            <button type="submit">Filter</button>
            {filters.some(({ value }) => value !== "") && <a href={path}>Clear filters</a>}
          </p>
        </form>
      </details>
    </search>
  )

/** The operation whose form a link leads to. */
const formOf = ({ href }: Link): string | undefined => /^\/console\/new\/(\w+)/u.exec(href)?.[1]

export const Actions = ({ actions }: { readonly actions: ReadonlyArray<Link> }) => {
  const may = useMay()
  const offered = actions.filter((link) => {
    const operation = formOf(link)
    return operation === undefined || may(operation)
  })
  return offered.length === 0 ? null : (
    <p class="actions">
      {offered.map(({ href, text }) => (
        <a key={href} class="button" href={href}>
          {text}
        </a>
      ))}
    </p>
  )
}

const Begin = ({ text, first }: Beginning) => {
  const may = useMay()
  const operation = first === undefined ? undefined : formOf(first)
  return (
    <div class="card">
      <p>{text}</p>
      {first !== undefined && (operation === undefined || may(operation)) && (
        <p>
          <a href={first.href}>{first.text}</a>
        </p>
      )}
    </div>
  )
}

/** The rows that were asked for, or what is said without any. */
const Rows = ({ beginning, label, names, none, rows }: ListingProps) =>
  rows.length === 0 && beginning !== undefined ? (
    <Begin {...beginning} />
  ) : (
    <Table label={label} names={names} rows={rows} none={none} />
  )

export const Listing = (props: ListingProps) => (
  <Console who={props.who} section={props.section} path={props.path}>
    <h1>{props.title}</h1>
    {props.intro !== undefined && <p class="soft">{props.intro}</p>}
    <Actions actions={props.actions} />
    <Filters filters={props.filters} path={props.path} />
    {props.problem === undefined ? (
      <Rows {...props} />
    ) : (
      <p class="warning" role="alert">
        {props.problem}
      </p>
    )}
    <p class="actions">
      {props.next !== undefined && <a href={props.next}>Next page</a>}
      {props.rows.length > 0 && <a href={props.csv}>Download this page as CSV</a>}
    </p>
  </Console>
)
