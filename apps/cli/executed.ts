/** Runs a line of words as a command, and says in a line or two what was wrong with it. It ends with an exit code. */

import { Console, Effect, Option } from "effect"
import { CliConfig, type CliError, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import { nearest } from "../../core/encoding/nearest.ts"
import type { ExitCode, Stopped } from "./exit.ts"
import { helpText } from "./help.ts"
import { withoutKeys } from "./secrecy.ts"
import { Shell } from "./shell.ts"
import { printable } from "./table.ts"

export const version = "0.1.0"

/** Two names of amounts are never near each other: dollars and smallest units lie a millionfold apart. */
const isAmount = (name: string) => /amount|usd|micro|smallest|unit|cap/u.test(name)

const flagRemark = (given: string, flags: ReadonlyArray<HelpDoc.FlagDoc>): string => {
  const amounts = flags.filter(({ name }) => isAmount(name))
  if (isAmount(given) && amounts.length > 0) {
    const said = amounts.map(({ description, name }) => {
      const meaning = Option.getOrElse(description, () => "").replaceAll("`", "")
      return `  --${name}  ${meaning}`
    })
    return [". It takes these, in different units:", ...said].join("\n")
  }
  const known = nearest(
    given,
    flags.map(({ name }) => name).filter((name) => !isAmount(name))
  )
  return known === undefined ? "." : `; did you mean --${known}?`
}

/** What somebody may look for here who has read of it elsewhere. */
const elsewhere: ReadonlyMap<string, string> = new Map([
  ["start", "the service is started by bursar serve, and a sandbox by bursar sandbox"],
  ["demo", "the demo is npm run demo, in a clone of the sources"]
])

/** What is wrong with a command line, in a line or a few. */
const complaint = (error: CliError.CliError, doc: HelpDoc.HelpDoc): string => {
  if (error._tag === "UnrecognizedOption") {
    const name = error.option.replace(/^-+/u, "").replace(/=.*$/su, "")
    return `Unknown flag --${name}${flagRemark(name, doc.flags)}`
  }
  if (error._tag === "UnknownSubcommand") {
    const place = elsewhere.get(error.subcommand)
    if (place !== undefined) return `Unknown command ${error.subcommand}: ${place}.`
    const commands = (doc.subcommands ?? []).flatMap((group) => group.commands)
    const known = nearest(
      error.subcommand,
      commands.map((command) => command.name)
    )
    return `Unknown command ${error.subcommand}${known === undefined ? "." : `; did you mean ${known}?`}`
  }
  return error.message
    .replace(/Expected: Schema validation failed: (?:Expected )?/u, "Expected ")
    .replace(
      /a (?:value with a length of|string with) (at (?:least|most) \d+)(?: code points)?/u,
      "$1 characters"
    )
}

/** What follows a flag that lacks its value, and looks like flags, is most likely the value. */
const complaints = (
  errors: ReadonlyArray<CliError.CliError>,
  doc: HelpDoc.HelpDoc
): ReadonlyArray<string> => {
  const lacking = errors.find(
    (error) => error._tag === "InvalidValue" && error.kind === "flag" && error.value === ""
  )
  const known = errors.filter(({ _tag }) => _tag !== "UnrecognizedOption")
  if (lacking === undefined || lacking._tag !== "InvalidValue" || known.length === errors.length) {
    return errors.map((error) => complaint(error, doc))
  }
  const hint = `A value that begins with a dash is written with an equals sign: --${lacking.option}='-…'`
  return [...known.map((error) => complaint(error, doc)), hint]
}

/** Help goes to stdout when it was asked for; a mistake is answered in a line or two on stderr. */
const presenterFor = (columns: number | undefined): CliOutput.Presenter => ({
  present: (event) => {
    switch (event._tag) {
      case "Help":
        return Console.log(helpText(event.helpDoc, columns))
      case "Version":
        return Console.log(event.version)
      case "InvalidInvocation": {
        const said = complaints(event.errors, event.helpDoc).flatMap((text) =>
          text.split("\n").map((line) => withoutKeys(printable(line)))
        )
        const see = `See: ${event.commandPath.join(" ")} --help`
        return Console.error([...said, see].join("\n"))
      }
    }
  }
})

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
  Effect.flatMap(Shell, ({ columns }) =>
    Command.runWith(command, { version })(words).pipe(
      Effect.as<ExitCode>(0),
      Effect.provideService(CliOutput.Presenter, presenterFor(columns)),
      Effect.provideService(
        CliConfig.CliConfig,
        CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
      )
    )
  )
