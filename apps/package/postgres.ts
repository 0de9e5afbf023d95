/**
 * `bursar/postgres`: every store on PostgreSQL, on a server or embedded in the process.
 *
 * @example
 * import { Layer, Redacted } from "effect"
 * import * as Postgres from "bursar/postgres"
 * const database = Postgres.Server.layer({ url: Redacted.make(process.env.DATABASE_URL ?? "") })
 * const stores = Postgres.layer.pipe(Layer.provide(database))
 */

/** PGlite in this process: in a directory, which one process opens at a time, or in memory. */
export * as Embedded from "../../adapters/postgres/embedded.ts"
/** Creates or updates the schema; fails with `DatabaseIsNewer` if a newer version has migrated it. */
export * as Migrate from "../../adapters/postgres/migrate.ts"
/** A PostgreSQL server, which several processes may share. */
export * as Server from "../../adapters/postgres/server.ts"
/** All stores on the connection that is provided. Migrate the database first. */
export { layer } from "../../adapters/postgres/stores.ts"
