/** The stages of something under way: those behind it, the one it is at, and those to come. */

interface StagesProps {
  readonly names: ReadonlyArray<string>
  readonly behind: number
}

export const Stages = ({ behind, names }: StagesProps) => (
  <ol class="stages" aria-label="Progress">
    {names.map((name, at) => (
      <li
        key={name}
        class={at < behind ? "done" : at === behind ? "now" : "later"}
        aria-current={at === behind ? "step" : undefined}
      >
        {name}
      </li>
    ))}
  </ol>
)
