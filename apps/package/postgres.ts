/**
 * `bursar/postgres`: every store on PostgreSQL, on a server or embedded in the process.
 *
 * @example
 * import { Embedded, layer, Migrate } from "bursar/postgres"
 * import { Atomically } from "bursar/ports"
 * import { Effect, Layer } from "effect"
 * // Server.layer({ url }) in place of Embedded.memory, for a database that processes share.
 * const stores = layer.pipe(Layer.provideMerge(Migrate.layer), Layer.provide(Embedded.memory))
 * const program = Effect.flatMap(Atomically, ({ run }) => run(Effect.succeed("committed")))
 * console.log(await Effect.runPromise(Effect.provide(program, stores)))
 */

/** PGlite in this process: in a directory, which one process opens at a time, or in memory. */
export * as Embedded from "../../adapters/postgres/embedded.ts"
/** Creates or updates the schema; fails with `DatabaseIsNewer` if a newer version has migrated it, and with `DatabaseIsOther` if another baseline made it. */
export * as Migrate from "../../adapters/postgres/migrate.ts"
/** A PostgreSQL server, which several processes may share. */
export * as Server from "../../adapters/postgres/server.ts"
/** All stores on the connection that is provided. Migrate the database first. */
export { layer } from "../../adapters/postgres/stores.ts"
