/** The service as an environment says, for as long as it is not stopped. It starts whole or refuses with a sentence. */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer } from "effect"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import * as MarkHorizon from "../../adapters/secrets/mark-horizon.ts"
import * as KeyStore from "../../adapters/secrets/timeline.ts"
import * as Spans from "../../core/operation/spans.ts"
import * as Settings from "../../core/treasury/settings.ts"
import { work } from "../../core/treasury/workers.ts"
import type { Records } from "../cli/operator/office.ts"
import * as Bounds from "./bounds.ts"
import { connections, outlay } from "./chains.ts"
import * as Configuration from "./configuration.ts"
import { databaseOf } from "./database.ts"
import { loadAhead } from "./load-ahead.ts"
import { privateData } from "./private-data.ts"
import { proven } from "./proven.ts"
import type { Environment, SettingRefused } from "./setting.ts"
import { spansTo } from "./spans.ts"
import { tokens } from "./tokens.ts"
import { opening, welcome } from "./welcome.ts"
import { surfaces, treasury } from "./wiring.ts"
import { yieldVaults } from "./yield-vaults.ts"

export const readConfiguration = (environment: Environment) =>
  Effect.try({
    try: () => {
      const configuration = Configuration.read(environment)
      return {
        configuration,
        connected: connections(configuration, environment),
        listed: tokens(configuration.tokens),
        vaults: yieldVaults(configuration.yieldVaults)
      }
    },
    catch: (error) => error as SettingRefused
  })

/** What the operator has set, as the rooms of the treasury read it. */
export const settingsOf = (
  { configuration, listed, vaults }: Effect.Success<ReturnType<typeof readConfiguration>>,
  environment: Environment
): Settings.Settings => ({
  ...Settings.defaults,
  siteUrl: Configuration.siteUrl(configuration),
  livemode: true,
  tokens: listed,
  yieldVaults: vaults,
  dustMicro: Configuration.dustMicro(configuration),
  idempotencyLeaseMs: configuration.idempotencyLeaseMs,
  tiers: Configuration.tiers(configuration),
  dailyTradeMicro: configuration.dailyTradeMicro,
  webhooksKeptDays: configuration.webhooksKeptDays,
  plans: Configuration.plans(configuration),
  plansPayTo: configuration.plansPayTo,
  outlay: outlay(configuration, environment)
})

/** A start is over with its first answer: what goes on by itself begins a moment later and takes no time of it. */
const afterwards = "100 millis"

/** What hears the operator's commands, and the part that does them. */
interface Operator {
  readonly layer: (directory: string) => Layer.Layer<never, never, Records>
  readonly load: () => Promise<unknown>
}

/**
 * `operator` hears the operator's commands beside an embedded database, which no other process can open; `bursar` is how
 * they are started.
 */
export const serving = Effect.fnUntraced(function* (
  environment: Environment,
  operator: Operator,
  bursar: string
) {
  const read = yield* readConfiguration(environment)
  const { configuration, connected } = read
  yield* privateData(configuration)
  yield* Effect.logInfo(opening(configuration))
  const keyring = yield* Keyring.load(configuration)
  const siteUrl = Configuration.siteUrl(configuration)
  const isTraced = configuration.tracesTo !== undefined
  const ports = treasury({
    database: databaseOf(configuration, "service"),
    ...connected,
    keyring,
    markHorizon: yield* MarkHorizon.read(configuration),
    lines: KeyStore.at(Configuration.lines(configuration)),
    webhookSender: { mode: "public" },
    prices: Configuration.prices(configuration),
    catalogues: Configuration.catalogues(configuration),
    yields: Configuration.yields(configuration),
    bridging: Configuration.bridging(configuration),
    mail: Configuration.mail(configuration),
    limits: Configuration.limits(configuration),
    redisUrl: configuration.redisUrl,
    settings: settingsOf(read, environment)
  })
  const { host, port } = configuration
  const chainIds = [...connected.chains, ...(connected.solana ?? [])].map(({ chain }) => chain.id)
  const parts = isTraced ? Spans.over(ports) : ports
  const isEmbedded = configuration.databaseUrl === undefined
  const served = surfaces({
    ...configuration,
    metrics: Configuration.metrics(configuration),
    guards: Bounds.guards(configuration)
  }).pipe(Layer.merge(isEmbedded ? operator.layer(configuration.dataDirectory) : Layer.empty))
  const goesOn = Effect.all([loadAhead(isEmbedded ? [operator.load] : []), work()], {
    concurrency: "unbounded",
    discard: true
  })
  // It speaks once everything stands, so that what it says is true.
  const standing = Layer.effectDiscard(
    Effect.andThen(
      welcome({ siteUrl, listens: `${host}:${port}`, chainIds, configuration, bursar }),
      Effect.forkScoped(Effect.delay(goesOn, afterwards))
    )
  )
  const service = standing.pipe(
    Layer.provideMerge(served),
    Layer.provide(Layer.provideMerge(proven, parts)),
    Layer.provide(spansTo(configuration.tracesTo))
  )
  return yield* Layer.launch(service)
})
