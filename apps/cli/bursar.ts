/** The whole command line: a command for each operation, those of the operator, and how a run ends. */
import { Console, Effect } from "effect"
import { CliConfig, type CliError, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"
import { bound } from "../../adapters/http/route.ts"
import { audit } from "./audit.ts"
import { completionOf } from "./completion.ts"
import type { ExitCode } from "./exit.ts"
import { helpText } from "./help.ts"
import { nearest } from "./nearest.ts"
import { operationCommand } from "./operation-command.ts"
import { accounts } from "./operator/accounts.ts"
import { humans } from "./operator/humans.ts"
import { keys } from "./operator/keys.ts"
import { mail } from "./operator/mail.ts"
import { pause, resume } from "./operator/pause.ts"
import { plans } from "./operator/plan.ts"
import { migrate, serve } from "./operator/service.ts"
import { tiers } from "./operator/tier.ts"
import { printable } from "./print.ts"
import { withoutKeys } from "./secrecy.ts"

export const version = "0.1.0"

const completion = completionOf(() => bursar)

export const bursar = Command.make("bursar").pipe(
  Command.withDescription("A self-hosted USDC treasury."),
  Command.withSubcommands([
    { group: "Operations, sent to a running service", commands: bound.map(operationCommand) },
    {
      group: "For the operator, directly on the database",
      commands: [accounts, humans, keys, tiers, plans, mail, pause, resume, migrate]
    },
    { group: "More", commands: [audit, serve, completion] }
  ])
)

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

const run = Command.runWith(bursar, { version })

/** Runs one command line; the words are those behind the name of the program. */
export const execute = (words: ReadonlyArray<string>) =>
  run(words).pipe(
    Effect.as<ExitCode>(0),
    Effect.catch((error) =>
      error._tag === "Stopped"
        ? Effect.as(Console.error(error.message), error.exitCode as ExitCode)
        : Effect.succeed<ExitCode>(isMisuse(error) ? 2 : 0)
    ),
    Effect.provideService(CliOutput.Presenter, presenter),
    Effect.provideService(
      CliConfig.CliConfig,
      CliConfig.make({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })
    )
  )
