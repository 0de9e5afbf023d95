/** The page of one thing: its state, its facts, what hangs together with it, and what may be done about it. */
import { type Fact, Facts } from "./facts.tsx"
import { Console, type Who } from "./frame.tsx"
import { Actions, type Link } from "./listing.tsx"
import { useMay } from "./offered.tsx"
import type { Section } from "./sections.ts"
import { type Cell, CellText, Table, type TableProps } from "./table.tsx"

/** A button that calls an operation at once, as whoever is signed in. */
export interface Act {
  readonly text: string
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  /** Asked before, where it cannot be taken back. */
  readonly sure?: string
  /** Where to go on; the same page when left out. */
  readonly next?: string
  readonly isMain?: boolean
}

export type Part =
  | ({ readonly title: string } & TableProps)
  | { readonly title: string; readonly text: string }

export interface ThingProps {
  readonly who: Who
  readonly section: Section
  readonly title: string
  /** The version from which its page follows it; left out where nothing changes. */
  readonly live?: string | undefined
  readonly state?: Cell
  readonly facts: ReadonlyArray<Fact>
  readonly parts?: ReadonlyArray<Part>
  readonly links?: ReadonlyArray<Link>
  readonly acts?: ReadonlyArray<Act>
}

export const Acts = ({ acts }: { readonly acts: ReadonlyArray<Act> }) => {
  const may = useMay()
  const offered = acts.filter(({ operation }) => may(operation))
  return offered.length === 0 ? null : (
    <p class="choices">
      {offered.map(({ input, isMain, next, operation, sure, text }) => (
        <button
          key={text}
          type="button"
          class={isMain === true ? "main" : undefined}
          data-post={`/console/do/${operation}`}
          data-input={JSON.stringify(input)}
          data-sure={sure}
          data-next={next}
        >
          {text}
        </button>
      ))}
    </p>
  )
}

const PartOf = ({ part }: { readonly part: Part }) => (
  <section>
    <h2>{part.title}</h2>
    {"text" in part ? <pre>{part.text}</pre> : <Table {...part} />}
  </section>
)

export const Thing = (props: ThingProps) => (
  <Console who={props.who} section={props.section} live={props.live}>
    <h1>{props.title}</h1>
    {props.state !== undefined && (
      <p class="state">
        <CellText cell={props.state} />
      </p>
    )}
    <Facts facts={props.facts} />
    <Actions actions={props.links ?? []} />
    <Acts acts={props.acts ?? []} />
    {(props.parts ?? []).map((part) => (
      <PartOf key={part.title} part={part} />
    ))}
  </Console>
)
