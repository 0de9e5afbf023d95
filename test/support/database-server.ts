/**
 * Hands out fresh databases to all test files of a run: of one PostgreSQL server, and the data directory of
 * an embedded one. Each is made when the first file asks, so runs that need none pay nothing.
 */
import { createServer } from "node:http"
import { PGlite } from "@electric-sql/pglite"
import { Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import * as Migrate from "../../adapters/postgres/migrate.ts"
import * as Server from "../../adapters/postgres/server.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as PostgresServer from "./postgres-server.ts"

/** What a test file may ask for: a database with the whole schema, or with none. */
export type Kind = "migrated" | "empty"

const engine = (url: string) => Server.layer({ url: Redacted.make(url), maxConnections: 3 })

const template = "bursar_template"

const createDatabase = (server: PostgresServer.PostgresServer, name: string, kind: Kind) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create database ${sql(name)} template ${sql(kind === "empty" ? "template0" : template)}`
  }).pipe(Effect.provide(engine(server.url("postgres"))))

const schema = Layer.provideMerge(Layer.provide(Stores.layer, Migrate.layer), Migrate.layer)

/** Copying a migrated database is many times faster than migrating one. */
const prepareTemplate = Effect.fnUntraced(function* (server: PostgresServer.PostgresServer) {
  yield* createDatabase(server, template, "empty")
  yield* Effect.scoped(Layer.build(Layer.provide(schema, engine(server.url(template)))))
})

const started = async () => {
  const server = await PostgresServer.start()
  await Effect.runPromise(prepareTemplate(server))
  return server
}

/** A whole data directory as one file; to read it takes a tenth of the time it takes to make one. */
const dumped = async (): Promise<Buffer> => {
  const database = await PGlite.create()
  try {
    await Effect.runPromise(
      Effect.scoped(Layer.build(Layer.provide(schema, Embedded.on(database))))
    )
    return Buffer.from(await (await database.dumpDataDir("none")).arrayBuffer())
  } finally {
    await database.close()
  }
}

/** Opens the server; gives back where to ask, and how to close it. */
export const open = async () => {
  let server: Promise<PostgresServer.PostgresServer> | undefined
  let directory: Promise<Buffer> | undefined
  let turn: Promise<unknown> = Promise.resolve()
  let count = 0

  const fresh = async (kind: Kind): Promise<string> => {
    server ??= started()
    const running = await server
    const name = `test_${++count}`
    await Effect.runPromise(createDatabase(running, name, kind))
    return running.url(name)
  }

  const http = createServer((request, response) => {
    const asked = () => {
      if (request.url === "/embedded") {
        directory ??= dumped()
        return directory
      }
      // One after the other: a template must not be copied twice at a time.
      const next = turn.then(() => fresh(request.url === "/empty" ? "empty" : "migrated"))
      turn = next.catch(() => undefined)
      return next
    }
    asked().then(
      (answer: string | Buffer) => response.end(answer),
      (error) => response.writeHead(500).end(String(error?.stack ?? error))
    )
  })
  const port = await new Promise<number>((resolve) => {
    http.listen(0, "127.0.0.1", () => {
      const address = http.address()
      resolve(typeof address === "object" && address ? address.port : 0)
    })
  })
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      http.close()
      await (await server?.catch(() => undefined))?.stop()
    }
  }
}
