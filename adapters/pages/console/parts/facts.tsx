/** Facts by their names. What others wrote stands isolated from the direction of what is around it. */
import { type Cell, CellText } from "./table.tsx"

export interface Fact extends Cell {
  readonly name: string
}

/** A fact, unless there is nothing to say. */
export const fact = (
  name: string,
  text: string | null | undefined,
  how: Partial<Cell> = {}
): ReadonlyArray<Fact> =>
  text === undefined || text === null || text === "" ? [] : [{ name, text, ...how }]

export const Facts = ({ facts }: { readonly facts: ReadonlyArray<Fact> }) =>
  facts.length === 0 ? null : (
    <dl class="facts">
      {facts.map((one) => (
        <div key={`${one.name} ${one.text}`}>
          <dt>{one.name}</dt>
          <dd>
            <CellText cell={one} />
            {one.isCopied === true && (
              <button type="button" class="copy" data-copied={one.text}>
                Copy<span class="unseen"> {one.name}</span>
              </button>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
