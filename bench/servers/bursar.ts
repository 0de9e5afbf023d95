/**
 * The service as it is: over memory stores, where only its own work is left, or with `postgres <url> <accounts>` or
 * `embedded` wired as `apps/server` wires it, workers and all.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer } from "effect"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as Rest from "../../adapters/http/rest.ts"
import { serve } from "../../adapters/http/server.ts"
import * as Tools from "../../adapters/mcp/server.ts"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { surfaces, workers } from "../../apps/server/wiring.ts"
import * as Spans from "../../core/operation/spans.ts"
import { offer } from "../child.ts"
import * as Ports from "../ports.ts"
import { seedMany } from "./seeding.ts"

const host = "127.0.0.1"

const [engine, url = "", accounts = "1"] = process.argv.slice(2)
const seeding = seedMany(Number(accounts))
const port = await freePort()
const origin = `http://${host}:${port}`

const inMemory = Effect.gen(function* () {
  const ports = yield* Layer.build(Ports.inMemory)
  const routes = Layer.mergeAll(Rest.layer(), Tools.layer())
  const service = serve(routes).pipe(Layer.provide(NodeServer.layer({ port, host })))
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(ports))))
  return yield* Effect.provide(seeding, ports)
})

const proxies = Number(process.env.BENCH_PROXIES ?? 0)

const onDatabase = Effect.gen(function* () {
  const wired = { siteUrl: origin }
  const ports = yield* Layer.build(
    engine === "embedded" ? Ports.onEmbedded(wired) : Ports.onPostgres(url, wired)
  )
  const service = Layer.merge(surfaces({ port, host, corsOrigins: [], proxies }), workers)
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(ports))))
  return yield* Effect.provide(seeding, ports)
})

const opened = Effect.gen(function* () {
  const seeded = engine === "memory" ? yield* inMemory : yield* onDatabase
  offer({ origin, ...seeded })
  return yield* Effect.never
})

// As the service runs where nobody collects its spans.
Effect.runFork(Effect.provide(Effect.scoped(opened), Spans.off))
