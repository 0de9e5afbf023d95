/** Stores on a server whose connections are listened to: how many statements run, and what is written in one piece. */
import { connect } from "node:net"
import { Effect, Layer, Redacted } from "effect"
import * as Client from "../../adapters/postgres/client.ts"
import { Engine } from "../../adapters/postgres/engine.ts"
import { sessionParameters } from "../../adapters/postgres/server.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as FreshDatabase from "./fresh-database.ts"

const heard = { packets: 0, statements: 0 }

const executing = "E".charCodeAt(0)

/** The messages of the protocol that run a statement: each begins with its type and its length. */
const executedIn = (chunk: Uint8Array): number => {
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  // What opens a connection has no type.
  if (chunk.byteLength < 5 || view.getUint8(0) === 0) return 0
  let count = 0
  for (let at = 0; at + 5 <= chunk.byteLength; at += 1 + view.getUint32(at + 1)) {
    if (view.getUint8(at) === executing) count++
  }
  return count
}

const listening = (address: URL) => () => {
  const socket = connect(Number(address.port), address.hostname)
  const write = socket.write.bind(socket) as (chunk: Uint8Array) => boolean
  return Object.assign(socket, {
    write: (chunk: Uint8Array) => {
      heard.packets += 1
      heard.statements += executedIn(chunk)
      return write(chunk)
    }
  })
}

export const stores = Layer.unwrap(
  Effect.gen(function* () {
    const address = new URL(yield* FreshDatabase.url())
    const sessions = yield* Client.pool({
      stream: listening(address),
      username: "postgres",
      password: Redacted.make(address.password),
      database: address.pathname.slice(1),
      ssl: false,
      maxConnections: 2,
      startupParameters: sessionParameters
    })
    const engine = Layer.succeed(Engine, { kind: "embedded", log: { isHeld: false } })
    return Layer.provideMerge(Stores.layer, Layer.merge(Client.layer(sessions), engine))
  })
).pipe(Layer.orDie)

/** What came of it, how many packets it took, and how many statements, those that open and end a transaction too. */
export const listenedTo = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const before = { ...heard }
  const exit = yield* Effect.exit(work)
  return {
    exit,
    packets: heard.packets - before.packets,
    statements: heard.statements - before.statements
  }
})
