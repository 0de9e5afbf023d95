/**
 * Runs an operator's work on the database the settings name, in one transaction, and turns whatever
 * stands in its way into a sentence and an exit code. The database is loaded only when it is needed.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as Configuration from "../../server/configuration.ts"
import { privateData } from "../../server/private-data.ts"
import type { SettingRefused } from "../../server/setting.ts"
import { unusable } from "../../server/unusable.ts"
import * as Exit from "../exit.ts"
import { withoutKeys } from "../secrecy.ts"
import { Shell } from "../shell.ts"

/** The settings the service would start with, and its data out of others' reach; one that cannot be read is a mistake of the caller. */
export const settings = Effect.gen(function* () {
  const { environment } = yield* Shell
  const configuration = yield* Effect.try({
    try: () => Configuration.read(environment),
    catch: (error) => Exit.misused((error as SettingRefused).message)
  })
  yield* Effect.mapError(privateData(configuration), ({ message }) => Exit.refused(message))
  return configuration
})

/** Reading must not leave a new, empty database behind. */
export const exists = Effect.fnUntraced(function* (configuration: Configuration.Configuration) {
  const { databaseUrl, dataDirectory } = configuration
  if (databaseUrl !== undefined || existsSync(join(dataDirectory, "postgres"))) return
  return yield* Exit.refused(
    `There is no database in ${dataDirectory}; set DATABASE_URL or BURSAR_DATA_DIR, or create one with bursar accounts open.`
  )
})

interface Failure {
  readonly _tag: string
  readonly message: string
}

/** What a refusal, a lock that is held or a database that is away looks like from the shell. */
const stopOf = (failure: Failure): Exit.Stopped => {
  if (failure instanceof Exit.Stopped) return failure
  return failure._tag === "SqlError"
    ? Exit.unavailable(unusable(failure))
    : Exit.refused(failure.message)
}

export const plainly = <A, E extends Failure, R>(work: Effect.Effect<A, E, R>) =>
  Effect.mapError(work, stopOf)

/** The records die of a database that goes away; here that is nearly always what a defect is. */
export const surviving = <A, R>(work: Effect.Effect<A, Exit.Stopped, R>) =>
  Effect.catchDefect(work, (defect) => {
    const reason = defect instanceof Error ? defect.message : String(defect)
    return Effect.fail(Exit.unavailable(`The database failed: ${withoutKeys(reason)}`))
  })

export const inOffice = <A, E extends Failure, R>(
  work: Effect.Effect<A, E, R>,
  options: { readonly makesDatabase?: boolean } = {}
) =>
  Effect.gen(function* () {
    const configuration = yield* settings
    if (options.makesDatabase !== true) yield* exists(configuration)
    const { office } = yield* Effect.promise(() => import("./wiring.ts"))
    const atomic = Effect.flatMap(Atomically, ({ run }) => run(work))
    return yield* surviving(plainly(Effect.provide(atomic, office(configuration))))
  })
