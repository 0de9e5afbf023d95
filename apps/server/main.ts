/** `npm run serve`: serves the treasury as the environment says. */
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

NodeRuntime.runMain(
  serving(process.env, Operator, "npm run -s bursar --").pipe(
    Effect.catchTags({
      SettingRefused: sayPlainly,
      KeyringRefused: sayPlainly,
      DataDirectoryInUse: sayPlainly,
      DataDirectoryRefused: sayPlainly,
      RoleWithoutLimits: sayPlainly,
      PortTaken: sayPlainly,
      WrongMode: sayPlainly,
      DatabaseIsNewer: sayPlainly,
      DatabaseIsOther: sayPlainly,
      SqlError: (error) => sayPlainly({ message: unusable(error) })
    })
  )
)
