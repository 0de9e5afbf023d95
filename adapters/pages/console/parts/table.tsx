/**
 * Tables of the console. A cell is plain data, from which both the page and its CSV are written, so that a
 * file says what was seen.
 */
import { When } from "./time.tsx"

export interface Cell {
  readonly text: string
  /** The whole of a text that is shown in short, as files have it. */
  readonly whole?: string
  /** Where it leads. */
  readonly href?: string
  /** Written for machines: addresses, ids, hashes. */
  readonly code?: boolean
  /** An instant in ISO 8601, shown in the reader's zone. */
  readonly isTime?: boolean
  /** Aligned to the right. */
  readonly isAmount?: boolean
  readonly tone?: "good" | "wait" | "bad"
  /** Has a button that copies it, beside a fact. */
  readonly isCopied?: boolean
}

export interface Row {
  readonly id: string
  readonly cells: ReadonlyArray<Cell>
}

export interface TableProps {
  readonly label: string
  readonly names: ReadonlyArray<string>
  readonly rows: ReadonlyArray<Row>
  /** Said in place of a table without rows. */
  readonly none: string
}

const Inner = ({ cell: { code, isTime, text, tone } }: { readonly cell: Cell }) => {
  if (isTime === true && text !== "") return <When at={text} />
  if (code === true) return <code>{text}</code>
  return <bdi class={tone}>{text}</bdi>
}

export const CellText = ({ cell }: { readonly cell: Cell }) =>
  cell.href === undefined || cell.text === "" ? (
    <Inner cell={cell} />
  ) : (
    <a href={cell.href}>
      <Inner cell={cell} />
    </a>
  )

export const Table = ({ label, names, none, rows }: TableProps) =>
  rows.length === 0 ? (
    <p class="soft">{none}</p>
  ) : (
    <table class="table">
      <caption class="unseen">{label}</caption>
      <thead>
        <tr>
          {names.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ cells, id }) => (
          <tr key={id}>
            {cells.map((cell, at) => (
              <td
                key={names[at]}
                data-name={names[at]}
                class={cell.isAmount === true ? "amount" : undefined}
              >
                <CellText cell={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
