/**
 * `bursar completion`: a script that lets a shell complete commands, flags and the values of closed sets.
 * The values are offered, never enforced: a service newer than this program may know more of them.
 */
import { Console, Effect } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { operations } from "../../core/treasury/operations.ts"
import { choicesOf, fieldsOf, kebab } from "./field.ts"

const program = "bursar"

/** By command and flag, the values there are. */
const choices = (): ReadonlyMap<string, ReadonlyArray<string>> =>
  new Map(
    operations.flatMap((operation) =>
      fieldsOf(operation).flatMap((field) => {
        const values = choicesOf(field)
        return values.length === 0
          ? []
          : [[`${kebab(operation.name)} ${field.flag}`, values] as const]
      })
    )
  )

const offering = (
  command: Completions.CommandDescriptor,
  known: ReturnType<typeof choices>
): Completions.CommandDescriptor => ({
  ...command,
  flags: command.flags.map((flag) => {
    const values = known.get(`${command.name} ${flag.name}`)
    return values === undefined ? flag : { ...flag, type: { _tag: "Choice", values } }
  }),
  subcommands: command.subcommands.map((each) => offering(each, known))
})

/** The script for a shell; the command tree is asked for late, since this command is part of it. */
const scriptOf = (shell: Completions.Shell, tree: Command.Command.Any): string =>
  Completions.generate(
    program,
    shell,
    offering(Completions.fromCommand(tree), choices())
  ).replaceAll(`${program} --completions ${shell}`, `${program} completion ${shell}`)

export const completionOf = (tree: () => Command.Command.Any) =>
  Command.make(
    "completion",
    {
      shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(
        Argument.withDescription("bash, zsh or fish.")
      )
    },
    ({ shell }) => Effect.suspend(() => Console.log(scriptOf(shell, tree())))
  ).pipe(
    Command.withDescription(
      "Prints a script that completes commands, flags and values in a shell."
    ),
    Command.withExamples([{ command: "source <(bursar completion bash)" }])
  )
