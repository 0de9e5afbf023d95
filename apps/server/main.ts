/** `npm run serve`: serves the treasury as the environment says. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect } from "effect"
import * as Operator from "../cli/operator/listen.ts"
import { serving } from "./serve.ts"
import { unusable } from "./unusable.ts"

const sayPlainly = (error: { readonly message: string }) =>
  Effect.sync(() => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })

const commandLine = join(import.meta.dirname, "bursar", "bursar.js")

/** How the command line is called beside this service; in a container and under systemd there is no npm. */
const bursar =
  process.env.npm_lifecycle_event === undefined && existsSync(commandLine)
    ? `node ${commandLine}`
    : "npm run -s bursar --"

NodeRuntime.runMain(
  serving(process.env, Operator, bursar).pipe(
    Effect.catchTags({
      SettingRefused: sayPlainly,
      KeyringRefused: sayPlainly,
      DataDirectoryInUse: sayPlainly,
      DataDirectoryRefused: sayPlainly,
      EmbeddedDatabaseUnreadable: sayPlainly,
      RoleWithoutLimits: sayPlainly,
      PortTaken: sayPlainly,
      WrongMode: sayPlainly,
      DatabaseIsNewer: sayPlainly,
      DatabaseIsOther: sayPlainly,
      SqlError: (error) => sayPlainly({ message: unusable(error) })
    })
  )
)
