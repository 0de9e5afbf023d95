/** Serves the treasury as the environment says. */
import "effect/schema/SchemaJITCompiler/enable"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Effect, Layer, Redacted } from "effect"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import * as Server from "../../adapters/postgres/server.ts"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import { defaults } from "../../core/deployment.ts"
import { connections } from "./chains.ts"
import * as Configuration from "./configuration.ts"
import type { SettingRefused } from "./setting.ts"
import { tokens } from "./tokens.ts"
import { surfaces, treasury, workers } from "./wiring.ts"

const readConfiguration = Effect.try({
  try: () => {
    const configuration = Configuration.read(process.env)
    return {
      configuration,
      chains: connections(configuration, process.env),
      listed: tokens(configuration.tokens)
    }
  },
  catch: (error) => error as SettingRefused
})

const databaseOf = (configuration: Configuration.Configuration) =>
  configuration.databaseUrl === undefined
    ? Embedded.layer({ directory: configuration.dataDirectory })
    : Server.layer({
        url: Redacted.make(configuration.databaseUrl),
        maxConnections: configuration.databaseConnections
      })

const program = Effect.gen(function* () {
  const { configuration, chains, listed } = yield* readConfiguration
  const keyring = yield* Keyring.load(configuration)
  const siteUrl = Configuration.siteUrl(configuration)
  const parts = treasury({
    database: databaseOf(configuration),
    chains,
    keyring,
    courier: { mode: "public" },
    prices: Configuration.prices(configuration),
    limits: Configuration.limits(configuration),
    deployment: {
      ...defaults,
      siteUrl,
      livemode: true,
      tokens: listed,
      dustMicro: Configuration.dustMicro(configuration),
      idempotencyLeaseMs: configuration.idempotencyLeaseMs,
      tiers: Configuration.tiers(configuration)
    }
  })
  const service = Layer.merge(surfaces(configuration), workers).pipe(Layer.provide(parts))
  yield* Effect.logInfo(`Serving ${siteUrl} on ${configuration.host}:${configuration.port}`)
  return yield* Layer.launch(service)
})

const sayPlainly = (error: { readonly message: string }) =>
  Effect.sync(() => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })

NodeRuntime.runMain(
  program.pipe(
    Effect.catchTags({
      SettingRefused: sayPlainly,
      KeyringRefused: sayPlainly,
      DataDirectoryInUse: sayPlainly,
      PortTaken: sayPlainly,
      WrongMode: sayPlainly
    })
  )
)
