/**
 * A whole treasury on this machine for as long as the scope lives: a chain with real USDC, an embedded
 * database, the service and its workers, all in one data directory and on loopback only.
 */
import { join } from "node:path"
import { Context, Effect, Layer, Option } from "effect"
import * as TrialPayer from "../../adapters/pages/checkout/trial-payer.ts"
import * as Embedded from "../../adapters/postgres/embedded.ts"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import { finality } from "../../core/chains/usdc.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import * as RateLimit from "../../core/operation/rate-limit.ts"
import { PolicySettings } from "../../core/policy/policy-settings.ts"
import { BeginBridges } from "../../core/ports/bridge.ts"
import { Chains as ChainsPort } from "../../core/ports/chains.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import { type Listed, plain } from "../../core/tokens/token.ts"
import * as Settings from "../../core/treasury/settings.ts"
import { watching } from "../../core/treasury/workers.ts"
import * as Operator from "../cli/operator/listen.ts"
import { OwnChains, type OwnChains as OwnChainsOf } from "../cli/operator/own-chains.ts"
import { loadAhead } from "../server/load-ahead.ts"
import { type Surfaces, surfaces, treasury, workers } from "../server/wiring.ts"
import * as Links from "./bridges/links.ts"
import * as OnDemand from "./bridges/on-demand.ts"
import * as SecondChain from "./bridges/second-chain.ts"
import { readFacts, type SandboxFacts, writeFacts } from "./facts.ts"
import * as LocalChain from "./local-chain.ts"
import * as Prices from "./prices.ts"
import { invitation, seedAccounts, seedChainToo } from "./seed.ts"
import * as LocalSolana from "./solana/local-solana.ts"
import * as SandboxPayer from "./trial-payer.ts"

export interface Options {
  readonly directory: string
  readonly port: number
  /** A free one when left out. */
  readonly chainPort?: number
  readonly siteUrl?: string
  readonly limits?: RateLimit.Limits
  /** As by default when left out. */
  readonly guards?: Surfaces["guards"]
  readonly tiers?: typeof Settings.defaults.tiers
  readonly plans?: typeof Settings.defaults.plans
}

const host = "127.0.0.1"

/** What each account's own wallet holds from the start. */
const startingMicro = 5_000_000_000n
/** What the developer's wallet has in the yield vault from the start. */
const earningMicro = 250_000_000n

/** Where the sandbox's emails are. */
export const outboxIn = (directory: string) => join(directory, "outbox")

const connectionTo = (chain: LocalChain.LocalChain["Service"]) => ({
  chain: Chain.find("local") as Chain.Chain,
  usdc: chain.usdc,
  rpcUrl: chain.rpcUrl,
  confirmations: finality.local?.confirmations ?? 3,
  pollMs: finality.local?.pollMs ?? 250,
  mayRestart: true,
  orderBookUrl: chain.orderBook.url
})

/** What can be swapped on the local chain beside USDC, as an operator would list it. */
const tokensOf = ({ market }: LocalChain.LocalChain["Service"]): ReadonlyArray<Listed> =>
  market.tokens.map(({ address, decimals, name, symbol }) => ({
    ...plain,
    ...{ chainId: "local", address: Address.shown("local", address), symbol, name, decimals },
    priceId: symbol.toLowerCase()
  }))

/** What can be swapped on the local Solana beside USDC. */
const solanaTokensOf = ({ market }: LocalSolana.LocalSolana["Service"]): ReadonlyArray<Listed> =>
  market.tokens.map(({ decimals, mint, name, symbol }) => ({
    ...plain,
    ...{ chainId: "local-solana", address: Address.shown("local-solana", mint) },
    ...{ symbol, name, decimals, priceId: symbol.toLowerCase() }
  }))

const solanaConnectionTo = ({
  cctp,
  market,
  rpcUrl,
  usdc
}: LocalSolana.LocalSolana["Service"]) => ({
  chain: Chain.find("local-solana") as Chain.Chain,
  usdc,
  rpcUrls: [rpcUrl] as const,
  jupiter: { url: market.url },
  cctpTable: cctp.table,
  confirmations: finality["local-solana"]?.confirmations ?? 32,
  pollMs: finality["local-solana"]?.pollMs ?? 250
})

const vaultOf = ({ yieldVault }: LocalChain.LocalChain["Service"]) => ({
  chainId: "local",
  kind: "erc4626" as const,
  protocol: "local-vault",
  address: Address.shown("local", yieldVault.address)
})

/** Puts something into the yield vault for the developer's own wallet, so that there is a position to look at. */
const earnSome = Effect.fnUntraced(function* (
  { yieldVault }: LocalChain.LocalChain["Service"],
  { wallets }: Pick<SandboxFacts, "wallets">
) {
  const own = wallets.find(
    ({ account, chainId, kind }) =>
      account === "developer" && kind === "standard" && chainId === "local"
  )
  if (own !== undefined) yield* yieldVault.depositFor(own.address, earningMicro)
})

/**
 * Agents pay for their plans to the developer's own wallets, which are there only once they are furnished, and
 * payment pages have a button that pays.
 */
const selling = <Ports>(
  ports: Context.Context<Ports | PolicySettings>,
  { wallets }: Pick<SandboxFacts, "wallets">,
  places: Parameters<typeof SandboxPayer.make>[0]
) => {
  const tills = wallets.filter(
    ({ account, kind }) => account === "developer" && kind === "standard"
  )
  return ports.pipe(
    Context.add(PolicySettings, {
      ...Context.get(ports, PolicySettings),
      plansPayTo: tills.map(({ address, chainId }) => Address.shown(chainId, address))
    }),
    Context.add(TrialPayer.TrialPayer, SandboxPayer.make(places))
  )
}

const chainFacts = (chain: LocalChain.LocalChain["Service"]): SandboxFacts["chain"] => ({
  chainId: "local",
  rpcUrl: chain.rpcUrl,
  usdc: chain.usdc,
  orderBookUrl: chain.orderBook.url,
  tokens: tokensOf(chain).map(({ address, decimals, symbol }) => ({
    symbol,
    tokenAddress: address,
    decimals
  }))
})

const solanaFacts = (chain: LocalSolana.LocalSolana["Service"]) => ({
  chainId: "local-solana",
  rpcUrl: chain.rpcUrl,
  wsUrl: chain.wsUrl,
  usdc: chain.usdc,
  payer: chain.payer,
  tokens: solanaTokensOf(chain).map(({ address, decimals, symbol }) => ({
    symbol,
    mint: address,
    decimals
  }))
})

/** What tokens are traded at on the local chains. */
const traded =
  (
    chain: LocalChain.LocalChain["Service"],
    solana: Option.Option<LocalSolana.LocalSolana["Service"]>
  ): Prices.Traded =>
  ({ address, chainId }) => {
    if (chainId === "local") return chain.priceOf(address)
    return chainId === "local-solana" && Option.isSome(solana)
      ? solana.value.market.priceOf(address)
      : Effect.succeed(0n)
  }

type Seeded = Pick<SandboxFacts, "agentKey" | "developerKey" | "wallets">

/** Gives the accounts wallets on the local Solana with money in them, and its relayer what it lends and pays. */
const seedOnSolana = Effect.fnUntraced(function* (
  { giveGas, mint, payer }: LocalSolana.LocalSolana["Service"],
  seeded: Seeded
) {
  const chainId = "local-solana"
  const relay = yield* SolanaRelay
  yield* giveGas(yield* relay.relayerAddress(chainId))
  const wallets = yield* seedChainToo(seeded, {
    chainId,
    payer: payer.address,
    where: "Solana"
  })
  for (const wallet of wallets.slice(seeded.wallets.length)) {
    if (wallet.kind === "standard") yield* mint(wallet.address, startingMicro)
  }
  return wallets
})

/** Gives the accounts empty wallets on the second chain, and its relayer gas. */
const seedOnSecond = Effect.fnUntraced(function* (
  { connection, giveGas }: SecondChain.SecondChain,
  payer: string,
  seeded: Seeded
) {
  const chainId = connection.chain.id
  yield* giveGas(yield* EvmRelay.use((relay) => relay.relayerAddress(chainId)))
  return yield* seedChainToo(seeded, { chainId, payer, where: "the second chain" })
})

/** The chains of a sandbox. */
interface Chains {
  readonly first: LocalChain.LocalChain["Service"]
  readonly second: SecondChain.SecondChain
  readonly solana: Option.Option<LocalSolana.LocalSolana["Service"]>
}

const openChains = Effect.fnUntraced(function* ({ chainPort, directory }: Options) {
  const port = chainPort === undefined ? {} : { port: chainPort }
  const first = Context.get(
    yield* Layer.build(LocalChain.layer({ directory, ...port })),
    LocalChain.LocalChain
  )
  const solana = yield* LocalSolana.openWherePossible({ directory })
  return { first, second: yield* SecondChain.hold(directory), solana } satisfies Chains
})

const endsOf = ({ first, second, solana }: Chains): Links.Ends => ({
  chains: [{ chainId: "local", anvil: first.anvil, usdc: first.usdc }, second.linked],
  solana: Option.getOrUndefined(solana)
})

const placesOf = ({ first, second, solana }: Chains, { bridging }: Links.Served) => {
  const { chainId, usdc } = second.linked
  const { rpcUrl } = second.connection
  const { attestations, limitOrdersUrl } = bridging
  return {
    chain: chainFacts(first),
    payer: first.payer,
    solana: Option.getOrNull(Option.map(solana, solanaFacts)),
    secondChain:
      limitOrdersUrl === undefined
        ? null
        : { chainId, rpcUrl, usdc, attestationUrl: attestations.local, limitOrdersUrl }
  }
}

/** What the treasury is put together from; the second chain is among its chains and may not have begun. */
const partsOf = Effect.fnUntraced(function* (
  options: Options,
  chains: Chains,
  { bridging }: Links.Served
) {
  const { first, second, solana } = chains
  const siteUrl = siteUrlOf(options)
  const connected = {
    chains: [connectionTo(first), second.connection],
    solana: Option.toArray(solana).map(solanaConnectionTo)
  }
  const listed = [...tokensOf(first), ...Option.toArray(solana).flatMap(solanaTokensOf)]
  const { defaults } = Settings
  return {
    ...connected,
    bridging,
    keyring: yield* Keyring.load({ dataDirectory: options.directory }),
    webhookSender: { mode: "local" as const },
    mail: {
      _tag: "outbox" as const,
      directory: outboxIn(options.directory),
      from: "bursar@localhost"
    },
    limits: options.limits ?? RateLimit.defaults,
    ownPrices: Prices.layer(traded(first, solana)),
    settings: {
      ...defaults,
      tokens: listed,
      yieldVaults: [vaultOf(first)],
      siteUrl,
      livemode: false,
      tiers: options.tiers ?? defaults.tiers,
      plans: options.plans ?? defaults.plans
    }
  }
})

/** Gives the accounts what they begin with on the first chain and on Solana: those of an earlier run, or new ones. */
const seedAll = Effect.fnUntraced(function* (
  { first, solana }: Chains,
  earlier: SandboxFacts | undefined
) {
  const seeded = yield* seedAccounts(earlier, first.payer.address)
  yield* first.giveGas(yield* EvmRelay.use((relay) => relay.relayerAddress("local")))
  if (seeded.developerKey !== earlier?.developerKey) {
    for (const wallet of seeded.wallets) {
      if (wallet.kind === "standard") yield* first.mint(wallet.address, startingMicro)
    }
    yield* earnSome(first, seeded)
  }
  return Option.isNone(solana)
    ? seeded
    : { ...seeded, wallets: yield* seedOnSolana(solana.value, seeded) }
})

/** Begins the second chain and the bridges, and tells of the wallets there. */
const beginning = Effect.fnUntraced(function* (
  chains: Chains,
  served: Links.Served,
  seeded: Seeded,
  tell: (wallets: SandboxFacts["wallets"]) => void
) {
  const payer = chains.first.payer.address
  yield* chains.second.start(payer)
  yield* Links.link(endsOf(chains), served)
  const wallets = yield* seedOnSecond(chains.second, payer, seeded)
  yield* chains.second.keep
  tell(wallets)
})

const siteUrlOf = ({ port, siteUrl }: Options) => siteUrl ?? `http://localhost:${port}`

/** Serves and works; the second chain is watched too from when it begins. */
const serving = Effect.fnUntraced(function* <Ports>(
  { guards = {}, port }: Options,
  secondId: string,
  onDemand: OnDemand.OnDemand,
  ports: Context.Context<Ports | ChainsPort>
) {
  const all = Context.get(ports, ChainsPort)
  const context = ports.pipe(
    Context.add(ChainsPort, onDemand.hiding(all, secondId)),
    Context.add(BeginBridges, onDemand.wait)
  )
  const service = Layer.merge(
    surfaces({ port, host, corsOrigins: [], metrics: "open", guards }),
    workers
  )
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(context))))
  const second = all.connected.find(({ chain }) => chain.id === secondId)
  if (second === undefined) return
  yield* onDemand.thereafter(Effect.provide(watching(second), context))
})

/** Opens everything, writes `sandbox.json`, and gives back what it says. */
export const openSandbox = Effect.fnUntraced(function* (options: Options) {
  const { directory } = options
  const siteUrl = siteUrlOf(options)
  // The database locks the directory, so the chains in it are opened by one process at a time too.
  const database = yield* Layer.build(Embedded.layer({ directory }))
  const chains = yield* openChains(options)
  const served = yield* Links.serve(endsOf(chains))
  const parts = yield* partsOf(options, chains, served)
  const ports = yield* Layer.build(treasury({ ...parts, database: Layer.succeedContext(database) }))
  const seeded = yield* Effect.provide(seedAll(chains, readFacts(directory)), ports)
  const places = placesOf(chains, served)
  let facts: SandboxFacts = {
    siteUrl,
    baseUrl: `${siteUrl}/api/v1`,
    mcpUrl: `${siteUrl}/api/mcp`,
    ...seeded,
    ...places
  }
  let isTold = false
  const tell = (wallets: SandboxFacts["wallets"]) => {
    facts = { ...facts, wallets }
    if (isTold) writeFacts(directory, facts)
  }
  const begin = beginning(chains, served, seeded, tell)
  const onDemand = yield* OnDemand.make(Effect.provide(begin, ports))
  if (chains.second.wasStarted) yield* onDemand.now
  const secondId = chains.second.linked.chainId
  const own: OwnChainsOf = {
    listed: parts.settings.tokens,
    get connected() {
      const isThere = onDemand.isThere()
      const { chains: all, solana } = parts
      return { chains: all.filter(({ chain }) => isThere || chain.id !== secondId), solana }
    }
  }
  yield* serving(options, secondId, onDemand, selling(ports, seeded, places))
  yield* Layer.build(
    Operator.layer(directory).pipe(
      Layer.provide(Layer.succeedContext(Context.add(ports, OwnChains, own)))
    )
  )
  yield* Effect.forkScoped(loadAhead([Operator.load]))
  const link = Effect.orDie(invitation(seeded.developerKey))
  facts = { ...facts, enrolmentUrl: (yield* Effect.provide(link, ports)).url }
  isTold = true
  writeFacts(directory, facts)
  return facts
})
