/**
 * Runs an operator's work in one transaction: on the database the settings name, or in the running service that
 * has it open. Whatever stands in its way becomes a sentence and an exit code.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { Context, Data, Effect, Layer, type Scope } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { type DataDirectoryInUse, heldBy } from "../../../adapters/postgres/data-directory-lock.ts"
import { watch } from "../../../core/operation/taking-authority.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as Configuration from "../../server/configuration.ts"
import { privateData } from "../../server/private-data.ts"
import type { SettingRefused } from "../../server/setting.ts"
import { unusable } from "../../server/unusable.ts"
import * as Exit from "../exit.ts"
import { withoutKeys } from "../secrecy.ts"
import { Shell } from "../shell.ts"
import type * as Wiring from "./wiring.ts"

/** Reading must not leave a new, empty database behind. */
export const exists = Effect.fnUntraced(function* (configuration: Configuration.Configuration) {
  const { databaseUrl, dataDirectory } = configuration
  if (databaseUrl !== undefined || existsSync(join(dataDirectory, "postgres"))) return
  return yield* Exit.refused(
    `There is no database in ${dataDirectory}; set DATABASE_URL or BURSAR_DATA_DIR, or create one with bursar accounts open.`
  )
})

export interface Failure {
  readonly _tag: string
  readonly message: string
}

/** What a refusal, a lock that is held or a database that is away looks like from the shell. */
export const stopOf = (failure: Failure): Exit.Stopped => {
  if (failure instanceof Exit.Stopped) return failure
  return failure._tag === "SqlError"
    ? Exit.unavailable(unusable(failure))
    : Exit.refused(failure.message)
}

export const plainly = <A, E extends Failure, R>(work: Effect.Effect<A, E, R>) =>
  Effect.mapError(work, stopOf)

/** The records die of a database that goes away; here that is nearly always what a defect is. */
export const surviving = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(work, (defect) => {
    const reason = defect instanceof Error ? defect.message : String(defect)
    return Effect.fail(Exit.unavailable(`The database failed: ${withoutKeys(reason)}`))
  })

/** What an operator's work may ask for. */
export type Records = Layer.Success<ReturnType<typeof Wiring.office>>

/** A running service has the data directory open; it does the work when it is handed the command. */
export class OpenElsewhere extends Data.TaggedError("OpenElsewhere")<{
  readonly directory: string
  readonly stopped: Exit.Stopped
}> {}

interface Options {
  /** Whether it may begin with a database that is not there yet. */
  readonly makesDatabase?: boolean
  /** Whether it changes nothing, so that the database is neither migrated for it nor given keys. */
  readonly onlyReads?: boolean
}

export interface Office {
  /** The records for as long as the scope lasts, for what reads in many transactions. */
  readonly open: Effect.Effect<
    Context.Context<Records>,
    Exit.Stopped | OpenElsewhere,
    Shell | Scope.Scope
  >
  readonly run: <A, E extends Failure>(
    // In transactions of its own.
    work: Effect.Effect<A, E, Records>,
    options: Options
  ) => Effect.Effect<A, Exit.Stopped | OpenElsewhere, Shell>
}

/** Work and its records in one transaction. */
export const atomic = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomically, ({ run }) => run(work))

/** The same, and whether a standby has what it took away. */
const durably = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const { begin, told } = yield* watch
  const done = yield* atomic(Effect.andThen(begin, work))
  return { done, ...(yield* told) }
})

const isInUse = (failure: Failure): failure is DataDirectoryInUse =>
  failure._tag === "DataDirectoryInUse"

/** What came in the way, or that a running service has the database. */
export const elsewhere =
  ({ dataDirectory: directory }: Configuration.Configuration) =>
  (failure: Failure): Exit.Stopped | OpenElsewhere => {
    const stopped = stopOf(failure)
    return isInUse(failure) ? new OpenElsewhere({ directory, stopped }) : stopped
  }

/** The settings the service would start with, and its data out of others' reach; one that cannot be read is a mistake of the caller. */
export const settings = Effect.gen(function* () {
  const { environment } = yield* Shell
  const configuration = yield* Effect.try({
    try: () => Configuration.read(environment),
    catch: (error) => Exit.misused((error as SettingRefused).message)
  })
  yield* Effect.mapError(privateData(configuration), ({ message }) => {
    // Root may ask a service that has its own user's data open, and opens none of it itself.
    const held = heldBy(configuration.dataDirectory)
    return held === undefined ? Exit.refused(message) : elsewhere(configuration)(held)
  })
  return configuration
})

const onDatabase: Office = {
  open: Effect.gen(function* () {
    const configuration = yield* settings
    yield* exists(configuration)
    const { officeToRead } = yield* Effect.promise(() => import("./wiring.ts"))
    const built = Layer.build(officeToRead(configuration))
    return yield* surviving(Effect.mapError(built, elsewhere(configuration)))
  }),
  run: Effect.fnUntraced(function* (work, { makesDatabase, onlyReads }) {
    const configuration = yield* settings
    if (makesDatabase !== true) yield* exists(configuration)
    const { office, officeToRead } = yield* Effect.promise(() => import("./wiring.ts"))
    const done =
      onlyReads === true
        ? Effect.provide(work, officeToRead(configuration))
        : Effect.provide(work, office(configuration))
    return yield* surviving(Effect.mapError(done, elsewhere(configuration)))
  })
}

/** Where an operator's work is done; a service that has the database open puts itself here. */
export const Office = Context.Reference<Office>("bursar/cli/Office", {
  defaultValue: () => onDatabase
})

export const inOffice = <A, E extends Failure, R extends Records>(
  work: Effect.Effect<A, E, R>,
  options: Options = {}
) => Effect.flatMap(Office, ({ run }) => run(atomic(work as Effect.Effect<A, E, Records>), options))

/** For what changes nothing, which the database sees to. */
export const inOfficeToRead = <A, E extends Failure, R extends Records>(
  work: Effect.Effect<A, E, R>
) =>
  Effect.flatMap(Office, ({ run }) =>
    run(
      atomic(
        Effect.andThen(
          SqlClient.use((sql) => sql`set transaction read only`),
          work as Effect.Effect<A, E, Records>
        )
      ),
      { onlyReads: true }
    )
  )

/** For what takes authority away: with `durable`, as operations that do so answer. */
export const inOfficeDurably = <A, E extends Failure, R extends Records>(
  work: Effect.Effect<A, E, R>
) => Effect.flatMap(Office, ({ run }) => run(durably(work as Effect.Effect<A, E, Records>), {}))
