/** `bursar keys adopt-pepper`: goes on with another pepper once the one of the database is lost, and with it every API key. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { exists, plainly, settings, surviving } from "./office.ts"
import { form, say } from "./show.ts"

const messages = {
  adopted:
    "The database now uses this pepper. All earlier API keys stop working; create new ones with bursar keys create.",
  current: "The database already uses this pepper; nothing was changed."
}

export const adoptPepper = Command.make(
  "adopt-pepper",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const configuration = yield* settings
    yield* exists(configuration)
    const { adopted } = yield* Effect.promise(() => import("./wiring.ts"))
    const result = yield* surviving(plainly(adopted(configuration)))
    yield* say(messages[result], { result }, form)
  })
).pipe(
  Command.withDescription(
    "Switches the database to the pepper (the API-key hashing secret) in the settings, if the old one is lost. All API keys stop working; running processes accept the old ones until they restart."
  ),
  Command.withShortDescription("Switches to a new pepper if the old one is lost.")
)
