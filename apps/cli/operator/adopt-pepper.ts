/** `bursar keys adopt-pepper`: goes on with another pepper once the one of the database is lost, and with it every API key. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { exists, plainly, settings, surviving } from "./office.ts"

const said = {
  adopted:
    "The database goes by this pepper from now on. No API key made before is known any more: make new ones with bursar keys create.",
  current: "The database goes by this pepper already; nothing was changed."
}

export const adoptPepper = Command.make(
  "adopt-pepper",
  {},
  Effect.fnUntraced(function* () {
    const configuration = yield* settings
    yield* exists(configuration)
    const { adopted } = yield* Effect.promise(() => import("./wiring.ts"))
    yield* Console.log(said[yield* surviving(plainly(adopted(configuration)))])
  })
).pipe(
  Command.withDescription(
    "Makes the pepper the settings name the one of the database, when the one before is lost. Every API key made under that stops working; processes that run know the old ones until they start again."
  ),
  Command.withShortDescription("Goes on with another pepper when the one before is lost.")
)
