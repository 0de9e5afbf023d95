/** `npm start`: the sandbox, until Ctrl-C. What keeps it from starting is said in a sentence. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import { running } from "./running.ts"
import { inClone } from "./welcome.ts"

const sayPlainly = (error: { readonly message: string }) =>
  Effect.sync(() => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })

NodeRuntime.runMain(
  running(process.env, inClone).pipe(
    Effect.catchTags({
      SettingRefused: sayPlainly,
      KeyringRefused: sayPlainly,
      DataDirectoryInUse: sayPlainly,
      DataDirectoryRefused: sayPlainly,
      EmbeddedDatabaseUnreadable: sayPlainly,
      ChainNotStarted: sayPlainly,
      PortTaken: sayPlainly,
      WrongMode: sayPlainly,
      DatabaseIsNewer: sayPlainly,
      FolderOfOther: sayPlainly
    })
  )
)
