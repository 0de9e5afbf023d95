/** The sandbox in the terminal, until it is stopped, which ends everything it started. It obeys no setting of real money. */
import "effect/schema/SchemaJITCompiler/enable"
import { createServer } from "node:net"
import { Data, Effect } from "effect"
import * as Configuration from "../server/configuration.ts"
import { SettingRefused } from "../server/setting.ts"
import { readFacts } from "./facts.ts"
import { missingPackages } from "./needed.ts"
import { openSandbox } from "./sandbox.ts"
import { welcome } from "./welcome.ts"

/** Settings that belong to a treasury with real money; a sandbox must not look as if it obeyed them. */
const foreign = [
  "DATABASE_URL",
  "BURSAR_CHAINS",
  "BURSAR_KEY_ENCRYPTION_KEY",
  "BURSAR_PEPPER",
  "BURSAR_SMTP_URL"
]

type Environment = Readonly<Record<string, string | undefined>>

const readConfiguration = (environment: Environment) =>
  Effect.try({
    try: () => {
      const variable = foreign.find((name) => (environment[name] ?? "") !== "")
      if (variable !== undefined) {
        throw new SettingRefused({
          variable,
          message: `The sandbox uses only this machine; unset ${variable}, or use bursar serve.`
        })
      }
      return Configuration.read(environment)
    },
    catch: (error) => error as SettingRefused
  })

/** Where development chains usually are, so that tools find this one; a free port when something is there. */
const defaultChainPort = Effect.callback<{ readonly chainPort?: number }>((resume) => {
  const chainPort = 8545
  const server = createServer()
  server.once("error", () => resume(Effect.succeed({})))
  server.listen(chainPort, "127.0.0.1", () => {
    server.close(() => resume(Effect.succeed({ chainPort })))
  })
})

interface Said {
  readonly message: string
}

class FolderOfOther extends Data.TaggedError("FolderOfOther")<Said> {}

/** A folder that a sandbox was in holds nothing of worth; of any other nobody is told to remove it. */
const folderOfOther = (directory: string, error: Said) =>
  new FolderOfOther({
    message:
      readFacts(directory) === undefined
        ? error.message
        : `The sandbox in ${directory} was made by another version. Remove that folder and start again: nothing in it is real.`
  })

/** Opens it, says where everything is and how `bursar` is called there, and runs. */
export const running = Effect.fnUntraced(function* (environment: Environment, bursar: string) {
  const missing = missingPackages()
  if (missing !== undefined) return yield* missing
  const configuration = yield* readConfiguration(environment)
  const { dataDirectory: directory, port } = configuration
  const facts = yield* openSandbox({
    directory,
    port,
    ...(yield* defaultChainPort),
    siteUrl: Configuration.siteUrl(configuration),
    limits: Configuration.limits(configuration),
    tiers: Configuration.tiers(configuration),
    plans: Configuration.plans(configuration)
  }).pipe(
    Effect.catchTag("DatabaseIsOther", (error) => Effect.fail(folderOfOther(directory, error)))
  )
  process.stdout.write(welcome(facts, { directory, bursar, readyMs: performance.now() }))
  return yield* Effect.never
}, Effect.scoped)
