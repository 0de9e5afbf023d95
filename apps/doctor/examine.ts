/** Looks at every part of an installation as its settings say, and changes nothing. Parts are looked at side by side. */
import { Effect } from "effect"
import { readFacts } from "../sandbox/facts.ts"
import { connections, outlay } from "../server/chains.ts"
import * as Configuration from "../server/configuration.ts"
import type { Environment, SettingRefused } from "../server/setting.ts"
import { tokens } from "../server/tokens.ts"
import * as DataDirectory from "./data-directory.ts"
import { type Finding, ok, problem, warning } from "./finding.ts"
import * as Mail from "./mail.ts"
import * as Nodes from "./nodes.ts"
import * as Redis from "./redis.ts"
import * as Relayers from "./relayers.ts"
import * as Site from "./site.ts"
import * as Tokens from "./tokens.ts"
import * as Trades from "./trades.ts"
import * as UnreadChains from "./unread-chains.ts"
import { holdings, nodesOf } from "./wiring.ts"

const read = (environment: Environment) =>
  Effect.try({
    try: () => {
      const configuration = Configuration.read(environment)
      const listed = tokens(configuration.tokens)
      return {
        configuration,
        listed,
        connected: connections(configuration, environment),
        caps: outlay(configuration, environment)
      }
    },
    catch: (error) => problem("settings", (error as SettingRefused).message)
  })

/** A sandbox brings chains of its own, which stand in no setting. */
const withoutChains = (directory: string): Finding => {
  const sandbox = readFacts(directory)
  if (sandbox === undefined) {
    return warning(
      "chains",
      "The settings of this shell connect no chain, so nothing can be paid or sent. Set BURSAR_CHAINS; to look at a service that runs with other settings, set the same ones here."
    )
  }
  const { chain, secondChain, solana } = sandbox
  const own = [chain, secondChain, solana].flatMap((each) => each ?? [])
  const places = own.map(({ chainId, rpcUrl }) => `${chainId} at ${rpcUrl}`).join(", ")
  return warning(
    "chains",
    `The settings of this shell connect no chain. The sandbox of ${directory} needs none: while it runs, it has ${places}. Before you start bursar serve, set BURSAR_CHAINS.`
  )
}

/** What was found of the database and of the keyring that opens it, and who relays by what stands there. */
export interface Records {
  readonly finding: Finding
  readonly relayers?: Relayers.Relayers | "unknown"
  readonly stuck?: Parameters<typeof Trades.examine>[0] | undefined
  readonly unread?: Parameters<typeof UnreadChains.examine>[1]
}

export const examine = <R>(
  environment: Environment,
  records: Effect.Effect<Records, never, R>
): Effect.Effect<ReadonlyArray<Finding>, never, R> =>
  Effect.gen(function* () {
    const { caps, configuration, connected, listed } = yield* read(environment)
    const nodes = nodesOf(connected)
    const chains = [...connected.chains, ...connected.solana].map(({ chain }) => chain)
    // It goes first: the database is opened only in a directory that nobody else can read.
    const directory = yield* DataDirectory.examine(configuration.dataDirectory)
    const looks: ReadonlyArray<Effect.Effect<ReadonlyArray<Finding>, never, R>> = [
      Effect.gen(function* () {
        const { finding, relayers, stuck, unread } = yield* records
        const balances = Relayers.examine(chains, relayers, caps)
        const relaying = yield* Effect.provide(balances, holdings(connected))
        const late = UnreadChains.examine(chains, unread)
        return [finding, ...Trades.examine(stuck), ...late, ...relaying]
      }),
      ...(nodes.length === 0
        ? [Effect.succeed([withoutChains(configuration.dataDirectory)])]
        : nodes.map((node) => Effect.map(Nodes.examine(node), (finding) => [finding]))),
      ...nodes.map((node) => Tokens.examine(node, listed)),
      Effect.map(Mail.examine(Configuration.mail(configuration)), (finding) => [finding]),
      Redis.examine(configuration.redisUrl),
      Effect.succeed(Site.examine(configuration))
    ]
    const found = yield* Effect.all(looks, { concurrency: "unbounded" })
    return [ok("settings", "Every setting can be read."), ...directory, ...found.flat()]
  }).pipe(Effect.catch((finding) => Effect.succeed([finding])))
