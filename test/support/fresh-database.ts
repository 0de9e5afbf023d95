/** A database of a real PostgreSQL server that nobody else uses, for a test file or a part of one. */
import { Duration, Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { LeaseClock, ofCaller } from "../../adapters/postgres/leases.ts"
import * as Server from "../../adapters/postgres/server.ts"
import type { Kind } from "./database-server.ts"
import "./global-setup.ts"

/** Its address; the first one of a run waits for the server to start. */
export const url = (kind: Kind = "migrated") =>
  Effect.promise(async () => {
    const answer = await fetch(`${inject("databaseServer")}/${kind}`)
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return text
  })

export const engineAt = (address: string, maxConnections = 10) =>
  // A test that turns the clock on must not make the network late.
  Server.layer({
    url: Redacted.make(address),
    maxConnections,
    connectTimeout: Duration.infinity
  }).pipe(Layer.merge(Layer.succeed(LeaseClock, ofCaller)))

/** An engine on a fresh database that carries the whole schema. */
export const engine = Layer.unwrap(Effect.map(url(), (address) => engineAt(address)))
