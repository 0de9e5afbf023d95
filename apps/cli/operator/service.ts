/** `bursar serve` and `bursar migrate`: the service itself and its database, under the same settings. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { Shell } from "../shell.ts"
import * as Operator from "./listen.ts"
import { plainly, settings } from "./office.ts"
import { form, say } from "./show.ts"

export const serve = Command.make(
  "serve",
  {},
  Effect.fnUntraced(function* () {
    const { environment } = yield* Shell
    const bursar = environment.npm_command === "exec" ? "npx bursar" : "bursar"
    const { serving } = yield* Effect.promise(() => import("../../server/serve.ts"))
    yield* plainly(serving(environment, Operator, bursar))
  })
).pipe(
  Command.withDescription(
    "Serves the treasury with the settings of the environment, until it is stopped."
  )
)

export const migrate = Command.make(
  "migrate",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const configuration = yield* settings
    const { migrated } = yield* Effect.promise(() => import("./wiring.ts"))
    const applied = yield* plainly(migrated(configuration))
    const message =
      applied.length === 0 ? "The database is up to date." : `Applied ${applied.join(", ")}.`
    yield* say(message, { applied: [...applied] }, form)
  })
).pipe(
  Command.withDescription(
    "Migrates the database to the schema of this version. The service does the same when it starts."
  ),
  Command.withShortDescription("Migrates the database to the schema of this version.")
)
