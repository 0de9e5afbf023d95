/**
 * The two engines that may keep the records: PostgreSQL embedded in this process, or a server. Both speak
 * the same SQL through the same client; what differs is told here and nowhere else.
 */
import type { Notification } from "@effect/sql-pg/PgConnection"
import { Context, type Effect, type Queue, type Scope } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"

/** An embedded engine has one session: whoever waits inside a transaction stops everybody. */
export interface Embedded {
  readonly kind: "embedded"
  /** The folder of its files, of an engine that is ours and keeps them. */
  readonly files?: string
  /** While it is held, no checkpoint removes any of its log. */
  readonly log: { isHeld: boolean }
}

/** A server is shared by replicas, which tell one another over its channels. */
export interface Server {
  readonly kind: "server"
  /** Hears a channel until the scope closes; the queue fails when the connection is lost. */
  readonly listen: (
    channel: string
  ) => Effect.Effect<Queue.Dequeue<Notification, SqlError>, SqlError, Scope.Scope>
}

export class Engine extends Context.Service<Engine, Embedded | Server>()(
  "bursar/postgres/Engine"
) {}

/** What an engine's layer provides, and all that the records ask for. */
export type Connection = SqlClient | Engine
