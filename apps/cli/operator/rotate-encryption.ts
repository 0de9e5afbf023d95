/** `bursar keys rotate-encryption`: changes the key over the data key, while the service goes on. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { exists, plainly, settings, surviving } from "./office.ts"

const said = {
  rotated:
    "The data key is now wrapped under the current key-encryption key. Give that to every process before it starts again, then destroy the previous one.",
  current:
    "The data key is wrapped under the current key-encryption key already; nothing was changed."
}

export const rotateEncryption = Command.make(
  "rotate-encryption",
  {},
  Effect.fnUntraced(function* () {
    const configuration = yield* settings
    yield* exists(configuration)
    const { rotated } = yield* Effect.promise(() => import("./wiring.ts"))
    yield* Console.log(said[yield* surviving(plainly(rotated(configuration)))])
  })
).pipe(
  Command.withDescription(
    "Wraps the data key under BURSAR_KEY_ENCRYPTION_KEY when it was wrapped under BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY, or under the files of the data directory. Processes that run go on; nothing else has to be sealed again."
  ),
  Command.withShortDescription("Changes the key-encryption key of the database.")
)
