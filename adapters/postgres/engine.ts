/**
 * The two engines that may keep the records: PostgreSQL embedded in this process, or a server. Both speak
 * the same SQL through the same client; what differs is told here and nowhere else.
 */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Context } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"

export class Engine extends Context.Service<
  Engine,
  {
    /** An embedded engine has one session: whoever waits inside a transaction stops everybody. */
    readonly kind: "embedded" | "server"
  }
>()("bursar/postgres/Engine") {}

/** What an engine's layer provides, and all that the records ask for. */
export type Connection = SqlClient | PgClient | Engine
