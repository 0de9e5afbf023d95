/**
 * The whole treasury in memory: every port bound, none to the outside. The durable part, stores and chain,
 * is given, so that the same state can be opened again as after a restart.
 */
import { Layer, Redacted } from "effect"
import * as Allowances from "../../adapters/memory/allowances.ts"
import * as Bridges from "../../adapters/memory/bridges.ts"
import * as Chains from "../../adapters/memory/chains.ts"
import * as CheckpointSigner from "../../adapters/memory/checkpoint-signer.ts"
import * as Holdings from "../../adapters/memory/holdings.ts"
import * as Ids from "../../adapters/memory/ids.ts"
import * as Mail from "../../adapters/memory/mail.ts"
import { stores } from "../../adapters/memory/memory.ts"
import * as Passkeys from "../../adapters/memory/passkeys.ts"
import * as PayerTransactions from "../../adapters/memory/payer-transactions.ts"
import * as Pictures from "../../adapters/memory/pictures.ts"
import * as Prices from "../../adapters/memory/prices.ts"
import * as RateLimits from "../../adapters/memory/rate-limits.ts"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import * as Secrets from "../../adapters/memory/secrets.ts"
import * as Signatures from "../../adapters/memory/signatures.ts"
import { MemoryStore, type Store } from "../../adapters/memory/store.ts"
import * as Submitter from "../../adapters/memory/submitter.ts"
import * as SwapVenue from "../../adapters/memory/swap-venue.ts"
import * as TokenAccounts from "../../adapters/memory/token-accounts.ts"
import * as TokenCatalogue from "../../adapters/memory/token-catalogue.ts"
import * as TokenHistory from "../../adapters/memory/token-history.ts"
import * as WalletKeys from "../../adapters/memory/wallet-keys.ts"
import * as WebhookSender from "../../adapters/memory/webhook-sender.ts"
import * as YieldMarkets from "../../adapters/memory/yield-markets.ts"
import * as YieldPositions from "../../adapters/memory/yield-positions.ts"
import * as Address from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import * as Readings from "../../core/portfolio/readings.ts"
import * as VenueHealth from "../../core/routing/venue-health.ts"
import * as Identity from "../../core/submissions/identity.ts"
import * as AgreedPrices from "../../core/tokens/agreed-price.ts"
import { type Listed, plain } from "../../core/tokens/token.ts"
import * as Settings from "../../core/treasury/settings.ts"
import * as SigningPolicy from "../../core/treasury/signing-policy.ts"

/** What outlives a process. */
export interface Durable {
  readonly store: Store
  readonly chain: ScriptedChain.State
}

export const confirmations = 3

/** The scripted chain wakes its watchers, so they need to look by themselves only seldom. */
const localChain: ScriptedChain.Connection = {
  chain: Chain.find("local") as Chain.Chain,
  usdc: `0x${"05".repeat(20)}`,
  confirmations,
  pollMs: 3_600_000
}

const secondChain: ScriptedChain.Connection = {
  ...localChain,
  chain: Chain.find("local-2") as Chain.Chain,
  usdc: `0x${"06".repeat(20)}`
}

const solanaChain: ScriptedChain.Connection = {
  ...localChain,
  chain: Chain.find("local-solana") as Chain.Chain,
  usdc: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
}

const chains = { local: localChain, "local-2": secondChain, "local-solana": solanaChain }

/** The chains there are to connect to. */
export type ChainId = keyof typeof chains

/** A token on the list, so that trades can be tried; its contract is there from the start. */
export const gold: Listed = {
  chainId: "local",
  address: Address.shown("local", `0x${"90".repeat(20)}`),
  symbol: "GOLD",
  name: "Gold",
  decimals: 18,
  ...plain
}

/** The chains that a test connects to, the first of them where it names none. */
export const scriptedChain = (
  ids: ReadonlyArray<ChainId> = ["local", "local-2"]
): ScriptedChain.State => {
  const state = ScriptedChain.makeState(ids.map((id) => chains[id]))
  const { address, chainId, ...described } = gold
  const contract = Address.keyOf(chainId, address)
  state.scripted.get(chainId)?.others.set(contract, { ...described, balances: new Map() })
  return state
}

export const siteUrl = "http://treasury.test"

/** Known to every test; nothing it derives is a secret. */
export const identityKey = Redacted.make(new Uint8Array(32).fill(9), { label: "identity key" })

/** The same on the local Solana. */
export const jup: Listed = {
  chainId: "local-solana",
  address: Address.shown("local-solana", "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"),
  symbol: "JUP",
  name: "Jupiter",
  decimals: 6,
  ...plain
}

const unhurried = 1_000_000

/** One process over the durable state. Two processes over one state need two seeds. */
export const layer = (
  durable: Durable,
  seed: number,
  tokens: ReadonlyArray<Listed> = [gold, jup]
) => {
  const kept = Layer.merge(
    stores.pipe(Layer.provide(Layer.succeed(MemoryStore, durable.store))),
    Identity.layer(identityKey).pipe(Layer.provideMerge(Secrets.layer))
  )
  const chains = Chains.layer(durable.chain)
  const venues = SwapVenue.layer(durable.chain)
  return Layer.mergeAll(
    kept,
    chains,
    Allowances.layer(durable.chain),
    PayerTransactions.layer(durable.chain),
    TokenAccounts.layer(durable.chain),
    Submitter.layer(durable.chain).pipe(
      Layer.provideMerge(WalletKeys.layer),
      Layer.provide(SigningPolicy.layer.pipe(Layer.provide(venues))),
      Layer.provide(kept)
    ),
    Signatures.layer(durable.chain),
    Holdings.layer(durable.chain),
    TokenHistory.layer(durable.chain),
    TokenCatalogue.layer,
    venues,
    Bridges.layer(durable.chain),
    VenueHealth.layer,
    AgreedPrices.layer.pipe(Layer.provideMerge(Prices.layer), Layer.provide(chains)),
    YieldMarkets.layer,
    YieldPositions.layer(durable.chain),
    Readings.layer,
    WebhookSender.layer,
    Pictures.layer,
    Mail.layer,
    Ids.layer(seed),
    CheckpointSigner.layer,
    Passkeys.layer,
    RateLimits.layer({
      reads: unhurried,
      writes: unhurried,
      quotes: unhurried,
      confirms: unhurried,
      failures: unhurried,
      anonymous: unhurried
    }),
    Settings.layer({ siteUrl, livemode: false, ...Settings.defaults, tokens })
  )
}
