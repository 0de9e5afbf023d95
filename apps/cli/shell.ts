/** What a command knows of the shell it runs in: the environment, and how wide the terminal is. */
import { Context, Effect } from "effect"

export class Shell extends Context.Service<
  Shell,
  {
    readonly environment: Readonly<Record<string, string | undefined>>
    /** Undefined when the output goes to a file or a pipe, which takes lines of any width. */
    readonly columns: number | undefined
    /** Writes over the line of standard error; undefined where that is no terminal. */
    readonly rewriteLine?: ((text: string) => void) | undefined
  }
>()("bursar/cli/Shell") {}

/** Waits until what was printed so far has gone out, for output that would fill the memory otherwise. */
export const Drained = Context.Reference<Effect.Effect<void>>("bursar/cli/Drained", {
  defaultValue: () => Effect.void
})
