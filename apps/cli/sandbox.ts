/** `bursar sandbox`: a treasury to try on this machine, with chains of its own and money that is not real. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { plainly } from "./operator/office.ts"
import { Shell } from "./shell.ts"

export const sandbox = Command.make(
  "sandbox",
  {},
  Effect.fnUntraced(function* () {
    const { environment } = yield* Shell
    const { running } = yield* Effect.promise(() => import("../sandbox/running.ts"))
    const { inClone } = yield* Effect.promise(() => import("../sandbox/welcome.ts"))
    const called: Readonly<Record<string, string>> = { exec: "npx bursar", "run-script": inClone }
    const bursar = called[environment.npm_command ?? ""] ?? "bursar"
    yield* plainly(running(environment, bursar))
  })
).pipe(
  Command.withDescription(
    "Starts a sandbox on this machine: a treasury with two accounts, their keys, chains of its own and test money, until it is stopped. It is kept in .bursar, or in BURSAR_DATA_DIR. Where a package that its chains run on is missing, it says how to install it."
  ),
  Command.withShortDescription("Starts a treasury to try, with chains and test money of its own.")
)
