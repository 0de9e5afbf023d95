/** The database the settings name: the embedded one in the data directory, or a PostgreSQL server. */
import { type Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Refused } from "../../adapters/postgres/data-directory-lock.ts"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import type { Connection } from "../../adapters/postgres/engine.ts"
import * as Server from "../../adapters/postgres/server.ts"
import type { Configuration } from "./configuration.ts"

type Unusable = SqlError | Refused | Embedded.EmbeddedDatabaseUnreadable | Server.RoleWithoutLimits

/** A service needs several sessions at once when it starts; a command needs one. */
export const databaseOf = (
  configuration: Configuration,
  user: "service" | "command" = "command"
): Layer.Layer<Connection, Unusable> =>
  configuration.databaseUrl === undefined
    ? Embedded.layer({ directory: configuration.dataDirectory })
    : Server.layer({
        url: Redacted.make(configuration.databaseUrl),
        directUrl:
          configuration.databaseDirectUrl === undefined
            ? undefined
            : Redacted.make(configuration.databaseDirectUrl),
        maxConnections: configuration.databaseConnections,
        opensAtOnce: user === "service"
      })
