/** The whole command line: a command for each operation, those of the operator, and how a run ends. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { audit } from "./audit.ts"
import { completionOf } from "./completion.ts"
import { executed, exitCodeOf } from "./executed.ts"
import { helpOf } from "./help-command.ts"
import { operationCommand } from "./operation-command.ts"
import { doctor } from "./operator/doctor.ts"
import { recordCommands } from "./operator/record-commands.ts"
import { sent } from "./operator/send.ts"
import { migrate, serve } from "./operator/service.ts"
import { pay } from "./pay/command.ts"
import { sandbox } from "./sandbox.ts"
import { byTopic } from "./topics.ts"

const completion = completionOf(() => bursar)

/** Only asked for help, no command of it runs, whatever that would need. */
type Helped = Command.Command<"bursar", object, object, never, never>

const help = helpOf((): Helped => bursar as unknown as Helped)

export const bursar = Command.make("bursar").pipe(
  Command.withDescription("A self-hosted USDC treasury."),
  Command.withSubcommands([
    ...[...byTopic].map(([group, operations]) => ({
      group,
      commands: operations.map(operationCommand)
    })),
    { group: "operator", commands: [...recordCommands, doctor, migrate, serve] },
    { group: "more", commands: [pay, sandbox, help, audit, completion] }
  ])
)

/** Runs one command line; the words are those behind the name of the program. */
export const execute = (words: ReadonlyArray<string>) =>
  executed(bursar, words).pipe(
    Effect.catchTag("OpenElsewhere", (open) => sent(open, words)),
    Effect.catch(exitCodeOf)
  )
