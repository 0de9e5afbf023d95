/** `bursar keys rotate-encryption`: changes the key over the data key, while the service goes on. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { exists, plainly, settings, surviving } from "./office.ts"
import { form, say } from "./show.ts"

const messages = {
  rotated:
    "The data key is now encrypted with the current key-encryption key. Configure it for every process, then destroy the previous one.",
  current:
    "The data key is already encrypted with the current key-encryption key; nothing was changed."
}

export const rotateEncryption = Command.make(
  "rotate-encryption",
  { form },
  Effect.fnUntraced(function* ({ form }) {
    const configuration = yield* settings
    yield* exists(configuration)
    const { rotated } = yield* Effect.promise(() => import("./wiring.ts"))
    const result = yield* surviving(plainly(rotated(configuration)))
    yield* say(messages[result], { result }, form)
  })
).pipe(
  Command.withDescription(
    "Re-encrypts the data key with BURSAR_KEY_ENCRYPTION_KEY if it is encrypted with BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY, or with the files in the data directory. Running processes continue; no other data is re-encrypted."
  ),
  Command.withShortDescription("Changes the key-encryption key of the database.")
)
