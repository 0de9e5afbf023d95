/** The command line run in this process, with what it writes and its exit code kept apart. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect } from "effect"
import { execute } from "../../apps/cli/bursar.ts"
import { Shell } from "../../apps/cli/shell.ts"

export interface Ran {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs the words behind `bursar` in an environment that has nothing but what is given. */
export const ran = Effect.fnUntraced(function* (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  columns?: number,
  rewriteLine?: (text: string) => void
) {
  const written = { stdout: "", stderr: "" }
  const to =
    (name: keyof typeof written) =>
    (...parts: ReadonlyArray<unknown>) => {
      written[name] += `${parts.join(" ")}\n`
    }
  const console = { ...globalThis.console, log: to("stdout"), error: to("stderr") }
  const exitCode = yield* execute(words).pipe(
    Effect.provideService(Console.Console, console),
    Effect.provideService(Shell, { environment, columns, rewriteLine }),
    Effect.provide(NodeServices.layer)
  )
  return { exitCode, ...written } satisfies Ran
})
