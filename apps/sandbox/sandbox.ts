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
import { SolanaRelay } from "../../core/solana/relay.ts"
import { type Listed, plain } from "../../core/tokens/token.ts"
import * as Settings from "../../core/treasury/settings.ts"
import * as Operator from "../cli/operator/listen.ts"
import { OwnChains } from "../cli/operator/own-chains.ts"
import { type Surfaces, surfaces, treasury, workers } from "../server/wiring.ts"
import * as Links from "./bridges/links.ts"
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
  /** Whether a second chain is there to bridge to; it is forgotten when the sandbox ends. */
  readonly hasSecondChain?: boolean
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

const solanaConnectionTo = (
  { market, rpcUrl, usdc }: LocalSolana.LocalSolana["Service"],
  cctpTable: string | undefined
) => ({
  chain: Chain.find("local-solana") as Chain.Chain,
  usdc,
  rpcUrls: [rpcUrl] as const,
  jupiter: { url: market.url },
  ...(cctpTable === undefined ? {} : { cctpTable }),
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
  seeded: Seeded
) {
  const chainId = connection.chain.id
  yield* giveGas(yield* EvmRelay.use((relay) => relay.relayerAddress(chainId)))
  return yield* seedChainToo(seeded, {
    chainId,
    payer: SecondChain.somebody,
    where: "the second chain"
  })
})

/** Where else the accounts have wallets. */
interface Elsewhere {
  readonly solana: LocalSolana.LocalSolana["Service"] | undefined
  readonly second: SecondChain.SecondChain | undefined
}

/** The chains beside the first, and what lets USDC be carried between all of them. */
const openElsewhere = Effect.fnUntraced(function* (
  { anvil, usdc }: LocalChain.LocalChain["Service"],
  { directory, hasSecondChain = false }: Options
) {
  const solana = yield* LocalSolana.openWherePossible({ directory })
  const second = hasSecondChain ? yield* SecondChain.open : undefined
  const evm = [{ chainId: "local", anvil, usdc }, ...(second === undefined ? [] : [second.linked])]
  const links = yield* Links.open(evm, Option.getOrUndefined(solana))
  return { solana, second, links }
})

const secondFacts = (
  second: SecondChain.SecondChain | undefined,
  { bridging }: Links.Links
): NonNullable<SandboxFacts["secondChain"]> | null => {
  const { attestations, limitOrdersUrl } = bridging
  if (second === undefined || limitOrdersUrl === undefined) return null
  const { chainId, usdc } = second.linked
  const { rpcUrl } = second.connection
  return { chainId, rpcUrl, usdc, attestationUrl: attestations.local, limitOrdersUrl }
}

const seedElsewhere = Effect.fnUntraced(function* ({ second, solana }: Elsewhere, seeded: Seeded) {
  const wallets = solana === undefined ? seeded.wallets : yield* seedOnSolana(solana, seeded)
  return second === undefined ? wallets : yield* seedOnSecond(second, { ...seeded, wallets })
})

/** Opens everything, writes `sandbox.json`, and gives back what it says. */
export const openSandbox = Effect.fnUntraced(function* (options: Options) {
  const { directory, port } = options
  const siteUrl = options.siteUrl ?? `http://localhost:${port}`
  // The database locks the directory, so the chain in it is opened by one process at a time too.
  const database = yield* Layer.build(Embedded.layer({ directory }))
  const chainPort = options.chainPort === undefined ? {} : { port: options.chainPort }
  const chain = Context.get(
    yield* Layer.build(LocalChain.layer({ directory, ...chainPort })),
    LocalChain.LocalChain
  )
  const { links, second, solana } = yield* openElsewhere(chain, options)
  const connected = {
    chains: [connectionTo(chain), ...(second === undefined ? [] : [second.connection])],
    solana: Option.toArray(solana).map((each) => solanaConnectionTo(each, links.table))
  }
  const listed = [...tokensOf(chain), ...Option.toArray(solana).flatMap(solanaTokensOf)]
  const parts = treasury({
    database: Layer.succeedContext(database),
    ...connected,
    bridging: links.bridging,
    keyring: yield* Keyring.load({ dataDirectory: directory }),
    webhookSender: { mode: "local" },
    mail: { _tag: "outbox", directory: outboxIn(directory), from: "bursar@localhost" },
    limits: options.limits ?? RateLimit.defaults,
    ownPrices: Prices.layer(traded(chain, solana)),
    settings: {
      ...Settings.defaults,
      tokens: listed,
      yieldVaults: [vaultOf(chain)],
      siteUrl,
      livemode: false,
      tiers: options.tiers ?? Settings.defaults.tiers,
      plans: options.plans ?? Settings.defaults.plans
    }
  })
  const ports = yield* Layer.build(parts)
  const earlier = readFacts(directory)
  const seeded = yield* Effect.provide(seedAccounts(earlier, chain.payer.address), ports)
  yield* chain.giveGas(yield* Context.get(ports, EvmRelay).relayerAddress("local"))
  if (seeded.developerKey !== earlier?.developerKey) {
    for (const wallet of seeded.wallets) {
      if (wallet.kind === "standard") yield* chain.mint(wallet.address, startingMicro)
    }
    yield* earnSome(chain, seeded)
  }
  const others = { solana: Option.getOrUndefined(solana), second }
  const wallets = yield* Effect.provide(seedElsewhere(others, seeded), ports)
  const service = Layer.merge(
    surfaces({ port, host, corsOrigins: [], metrics: "open", guards: options.guards ?? {} }),
    workers
  )
  const places = {
    chain: chainFacts(chain),
    payer: chain.payer,
    solana: Option.getOrNull(Option.map(solana, solanaFacts)),
    secondChain: secondFacts(second, links)
  }
  const furnished = selling(ports, seeded, places)
  yield* Layer.build(service.pipe(Layer.provide(Layer.succeedContext(furnished))))
  const records = Context.add(ports, OwnChains, { connected, listed })
  yield* Layer.build(Operator.layer(directory).pipe(Layer.provide(Layer.succeedContext(records))))
  const link = Effect.orDie(invitation(seeded.developerKey))
  const { url: enrolmentUrl } = yield* Effect.provide(link, ports)
  const facts: SandboxFacts = {
    siteUrl,
    baseUrl: `${siteUrl}/api/v1`,
    mcpUrl: `${siteUrl}/api/mcp`,
    ...seeded,
    wallets,
    ...places,
    enrolmentUrl
  }
  writeFacts(directory, facts)
  return facts
})
