/** Runs a line of words as a command, and says in a line or two what was wrong with it. It ends with an exit code. */
import { Console, Effect } from "effect"
import { CliConfig, type CliError, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import type { ExitCode, Stopped } from "./exit.ts"
import { helpText } from "./help.ts"
import { nearest } from "./nearest.ts"
import { printable } from "./print.ts"
import { withoutKeys } from "./secrecy.ts"

export const version = "0.1.0"

/** One line for what is wrong with a command line. */
const complaint = (error: CliError.CliError, doc: HelpDoc.HelpDoc): string => {
  if (error._tag === "UnrecognizedOption") {
    const name = error.option.replace(/^-+/u, "").replace(/=.*$/su, "")
    const known = nearest(
      name,
      doc.flags.map((flag) => flag.name)
    )
    return `Unknown flag --${name}${known === undefined ? "." : `; did you mean --${known}?`}`
  }
  if (error._tag === "UnknownSubcommand") {
    const commands = (doc.subcommands ?? []).flatMap((group) => group.commands)
    const known = nearest(
      error.subcommand,
      commands.map((command) => command.name)
    )
    return `Unknown command ${error.subcommand}${known === undefined ? "." : `; did you mean ${known}?`}`
  }
  return error.message
}

/** Help goes to stdout when it was asked for; a mistake is answered in a line or two on stderr. */
const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Console.log(helpText(event.helpDoc))
      case "Version":
        return Console.log(event.version)
      case "InvalidInvocation": {
        const said = event.errors.map((error) =>
          withoutKeys(printable(complaint(error, event.helpDoc)))
        )
        const see = `See: ${event.commandPath.join(" ")} --help`
        return Console.error([...said, see].join("\n"))
      }
    }
  }
}

const isMisuse = (error: CliError.CliError): boolean =>
  error._tag !== "ShowHelp" || error.errors.length > 0

type Failure = Stopped | CliError.CliError

/** What a failure makes of a run. */
export const exitCodeOf = (failure: Failure) =>
  failure._tag === "Stopped"
    ? Effect.as(Console.error(failure.message), failure.exitCode as ExitCode)
    : Effect.succeed<ExitCode>(isMisuse(failure) ? 2 : 0)

/** Runs one of the commands below this one, named by the words; gives 0, or fails as it does. */
export const executed = <Name extends string, Input, Context, E, R>(
  command: Command.Command<Name, Input, Context, E, R>,
  words: ReadonlyArray<string>
) =>
  Command.runWith(command, { version })(words).pipe(
    Effect.as<ExitCode>(0),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
    )
  )
