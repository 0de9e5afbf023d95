/** The whole command line: a command for each operation, those of the operator, and how a run ends. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { bound } from "../../adapters/http/route.ts"
import { audit } from "./audit.ts"
import { completionOf } from "./completion.ts"
import { executed, exitCodeOf } from "./executed.ts"
import { operationCommand } from "./operation-command.ts"
import { doctor } from "./operator/doctor.ts"
import { recordCommands } from "./operator/record-commands.ts"
import { sent } from "./operator/send.ts"
import { migrate, serve } from "./operator/service.ts"

const completion = completionOf(() => bursar)

export const bursar = Command.make("bursar").pipe(
  Command.withDescription("A self-hosted USDC treasury."),
  Command.withSubcommands([
    { group: "Operations, sent to a running service", commands: bound.map(operationCommand) },
    {
      group: "For the operator, on the database or through the service that has it open",
      commands: [...recordCommands, doctor, migrate]
    },
    { group: "More", commands: [audit, serve, completion] }
  ])
)

/** Runs one command line; the words are those behind the name of the program. */
export const execute = (words: ReadonlyArray<string>) =>
  executed(bursar, words).pipe(
    Effect.catchTag("OpenElsewhere", (open) => sent(open, words)),
    Effect.catch(exitCodeOf)
  )
