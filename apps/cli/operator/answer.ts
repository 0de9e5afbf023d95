/** Does a command that came over the socket, in the running service and on its records. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, type Context, Effect } from "effect"
import { Command } from "effect/cli"
import { executed, exitCodeOf } from "../executed.ts"
import { Drained, Shell } from "../shell.ts"
import { Office, plainly, type Records, surviving } from "./office.ts"
import { recordCommands } from "./record-commands.ts"
import type { Asked, Ended, Printed } from "./wire.ts"

const bursar = Command.make("bursar").pipe(Command.withSubcommands(recordCommands))

/** The same work on the records of the service itself. */
const onRecords = (records: Context.Context<Records>): Office => ({
  open: Effect.succeed(records),
  run: (work) => surviving(plainly(Effect.provide(work, records)))
})

export const answer = Effect.fnUntraced(function* (
  records: Context.Context<Records>,
  { columns, words }: typeof Asked.Type,
  print: (printed: Printed) => void,
  drained: Effect.Effect<void>
) {
  const to =
    (place: "stdout" | "stderr") =>
    (...parts: ReadonlyArray<unknown>) => {
      print({ to: place, text: parts.join(" ") })
    }
  const console = { ...globalThis.console, log: to("stdout"), error: to("stderr") }
  const exitCode = yield* executed(bursar, words).pipe(
    Effect.catchTag("OpenElsewhere", ({ stopped }) => Effect.fail(stopped)),
    Effect.catch(exitCodeOf),
    Effect.provideService(Console.Console, console),
    Effect.provideService(Office, onRecords(records)),
    Effect.provideService(Drained, drained),
    Effect.provideService(Shell, { environment: process.env, columns: columns ?? undefined }),
    Effect.provide(NodeServices.layer)
  )
  return { exitCode } satisfies Ended
})
