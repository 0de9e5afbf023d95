/** `bursar keys export-root` and `restore-root`: a backup of the wallet root outside of the database, and the way back. */
import { readFileSync } from "node:fs"
import { Console, Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { misused } from "../exit.ts"
import { exists, plainly, settings, surviving } from "./office.ts"
import { form, say } from "./show.ts"

export const exportRoot = Command.make(
  "export-root",
  {},
  Effect.fnUntraced(function* () {
    const configuration = yield* settings
    yield* exists(configuration)
    const { exportedRoot } = yield* Effect.promise(() => import("./wiring.ts"))
    yield* Console.log(yield* surviving(plainly(exportedRoot(configuration))))
  })
).pipe(
  Command.withDescription(
    "Prints the wallet root, the seed of all wallets and the identity key, wrapped under the key-encryption key. Keep it apart from that key, and make it anew when the key changes."
  ),
  Command.withShortDescription("Prints a backup of the wallet root.")
)

const messages = {
  restored:
    "The wallet root is back. Open each account under its old id (bursar accounts open --id), then start the service.",
  current: "The database has this wallet root already; nothing was changed."
}

export const restoreRoot = Command.make(
  "restore-root",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("What bursar keys export-root printed.")
    ),
    form
  },
  Effect.fnUntraced(function* ({ file, form }) {
    const configuration = yield* settings
    const wrapped = yield* Effect.try({
      try: () => readFileSync(file, "utf8"),
      catch: () => misused(`${file} cannot be read.`)
    })
    const { restoredRoot } = yield* Effect.promise(() => import("./wiring.ts"))
    const result = yield* surviving(plainly(restoredRoot(configuration, wrapped)))
    yield* say(messages[result], { result }, form)
  })
).pipe(
  Command.withDescription(
    "Puts a wallet root back into a database that has none yet, before the service starts on it for the first time. A database that has another keeps it, and says so."
  ),
  Command.withShortDescription("Puts a wallet root back into a new database.")
)
