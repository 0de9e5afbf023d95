/** The database the settings name: the embedded one in the data directory, or a PostgreSQL server. */
import { Redacted } from "effect"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import * as Server from "../../adapters/postgres/server.ts"
import type { Configuration } from "./configuration.ts"

export const databaseOf = (configuration: Configuration) =>
  configuration.databaseUrl === undefined
    ? Embedded.layer({ directory: configuration.dataDirectory })
    : Server.layer({
        url: Redacted.make(configuration.databaseUrl),
        maxConnections: configuration.databaseConnections
      })
