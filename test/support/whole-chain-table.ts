/**
 * A treasury in memory that is connected to every chain there is but two, with the venues and bridges that it would
 * have there: their own tables of where they are, and prices and answers of the test's own.
 */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as CctpBridge from "../../adapters/evm/cctp/bridge.ts"
import * as Cow from "../../adapters/evm/cow/venue.ts"
import * as DlnBridge from "../../adapters/evm/dln/bridge.ts"
import * as MemoryChains from "../../adapters/memory/chains.ts"
import { PriceScript } from "../../adapters/memory/prices.ts"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import { Store } from "../../adapters/memory/store.ts"
import * as Jupiter from "../../adapters/providers/jupiter.ts"
import * as SolanaCctp from "../../adapters/solana/cctp/end.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import * as Address from "../../core/chains/address.ts"
import { domainOf } from "../../core/chains/cctp.ts"
import * as Chain from "../../core/chains/chain.ts"
import { spenders } from "../../core/chains/evm-contracts.ts"
import { usdc as issued } from "../../core/chains/usdc.ts"
import {
  type Asked,
  type Bridge,
  Bridges,
  BridgeUnavailable,
  NoRoute,
  OutOfBounds
} from "../../core/ports/bridge.ts"
import * as Venue from "../../core/ports/swap-venue.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import { type Listed, type Pinned, pinnedOn, plain } from "../../core/tokens/token.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Accounts from "./accounts.ts"
import * as Rows from "./rows.ts"

/** One of each family, known by name and not connected. */
export const unconnected = ["optimism-sepolia", "solana-devnet"]

const madeUsdc: Readonly<Record<string, string>> = {
  local: `0x${"05".repeat(20)}`,
  "local-2": `0x${"06".repeat(20)}`,
  "local-solana": "9Rg1LBfZtMc6Pgd2mSCZ7xWX1nZrwLWoXvgkFQ3jXKjr"
}

/** An order book is named on Optimism, where no spender of swaps is known, and none on Polygon. */
const orderBooks = ["ethereum", "base", "arbitrum", "optimism", "ethereum-sepolia", "local"]
/** A lookup table is named for one Solana and not for the other. */
const tables = ["solana"]

const connections = Chain.chains
  .filter(({ id }) => !unconnected.includes(id))
  .map((chain) => ({
    chain,
    usdc: issued[chain.id] ?? madeUsdc[chain.id] ?? assert.fail(chain.id),
    confirmations: 3,
    pollMs: 3_600_000
  }))

/** Nobody listens there: what a test asks is answered by the test. */
const nowhere = "http://127.0.0.1:9"

const evm = connections
  .filter(({ chain }) => chain.family === "evm")
  .map((connection) => ({
    ...connection,
    rpcUrl: nowhere,
    ...(orderBooks.includes(connection.chain.id) ? { orderBookUrl: nowhere } : {})
  }))

const solana = connections
  .filter(({ chain }) => chain.family === "solana")
  .map((connection) => ({
    ...connection,
    rpcUrls: [nowhere] as const,
    jupiter: { url: nowhere },
    ...(tables.includes(connection.chain.id) ? { cctpTable: issued.solana ?? "" } : {})
  }))

const golden = (chainId: string, address: string): Listed => ({
  ...plain,
  ...{ chainId, address: Address.shown(chainId, address), symbol: "GOLD", name: "Gold" },
  decimals: 6
})

/** Test chains have no token beside USDC, but for one of each family. */
const tokens: ReadonlyArray<Listed> = [
  golden("local", `0x${"9d".repeat(20)}`),
  golden("local-solana", "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN")
]

/** Who is away now: a protocol's name. */
export interface Script {
  readonly away: Set<string>
  /** Venues that have no way between any tokens, by protocol. */
  readonly empty: Set<string>
}

const listed = (state: ScriptedChain.State): ReadonlyArray<Pinned> =>
  [...state.scripted.values()].flatMap(({ connected }) => pinnedOn(connected, tokens))

/** Everything costs one dollar. */
const swapped = (all: ReadonlyArray<Pinned>, request: Venue.SwapRequest) => {
  const decimals = (address: Address.AddressKey) =>
    all.find((token) => token.chainId === request.chainId && token.address === address)?.decimals ??
    assert.fail(address)
  const { buy, sell, sellAmount } = request
  return (sellAmount * 10n ** BigInt(decimals(buy))) / 10n ** BigInt(decimals(sell))
}

const quoting = <Of extends Venue.SwapVenue>(
  venue: Of,
  { away, empty }: Script,
  all: ReadonlyArray<Pinned>
): Of => ({
  ...venue,
  quote: Effect.fnUntraced(function* (request: Venue.SwapRequest) {
    const { protocol } = venue
    if (away.has(protocol)) {
      return yield* new Venue.VenueUnavailable({ protocol, reason: "unreachable", detail: "away" })
    }
    if (empty.has(protocol)) return yield* new Venue.RouteNotAvailable({ detail: "none" })
    const told: Venue.VenueQuote = {
      sellAmount: request.sellAmount,
      buyAmount: swapped(all, request),
      fees: [],
      priceImpactPct: null,
      estimatedSeconds: 10,
      expiresAt: DateTime.add(yield* DateTime.now, { seconds: 60 })
    }
    return told
  })
})

const carrying = (bridge: Bridge, { away, empty }: Script): Bridge => ({
  ...bridge,
  quote: Effect.fnUntraced(function* ({ from, to, units }: Asked) {
    const route = bridge.routes.find(
      (each) =>
        each.from.chainId === from.chainId &&
        each.from.token === from.token &&
        each.to.chainId === to.chainId &&
        each.to.token === to.token
    )
    if (route === undefined || empty.has(bridge.protocol)) return yield* new NoRoute()
    const { maxUnits, minUnits } = route
    if (units < minUnits || (maxUnits !== null && units > maxUnits)) {
      return yield* new OutOfBounds({ minUnits, maxUnits })
    }
    if (away.has(bridge.protocol)) {
      const detail = `The service of ${bridge.protocol} does not respond.`
      return yield* new BridgeUnavailable({ detail })
    }
    // An order costs more than a burn.
    const buyUnits = bridge.protocol === "dln" ? units - units / 1000n : units
    const offer = { buyUnits, minBuyUnits: buyUnits, fees: [], estimatedSeconds: 10 }
    return [{ ...offer, expiresInMs: 60_000, terms: {}, wayBack: null }] as const
  })
})

const bridges = (script: Script): ReadonlyArray<Bridge> => {
  const ends = solana.map((connection) =>
    SolanaCctp.endOf(connection, domainOf(connection.chain.id) ?? assert.fail())
  )
  // Only their tables are read; what they would ask, the test answers.
  const cctp = CctpBridge.make(evm, () => ({}) as never, ends)
  const dln = DlnBridge.make(evm, {} as never)
  return [carrying(cctp, script), carrying(dln, script)]
}

export const layer = (script: Script, without: ReadonlyArray<Bridge["protocol"]> = []) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const chain = ScriptedChain.makeState(connections)
      const all = listed(chain)
      for (const {
        chain: { id }
      } of connections) {
        for (const token of all.filter(({ chainId, isUsdc }) => chainId === id && !isUsdc)) {
          const { decimals, name, says, symbol } = token
          const codeHash = says?.codeHash ?? "none"
          const contract = { codeHash, decimals, name, symbol, balances: new Map() }
          chain.scripted.get(id)?.others.set(token.address, contract)
        }
      }
      const jupiter = yield* Jupiter.venuesOf(solana)
      const venues = [...Cow.venuesOf(evm), ...jupiter].map((venue) => quoting(venue, script, all))
      const priced = Layer.effectDiscard(
        Effect.gen(function* () {
          const { quote } = yield* PriceScript
          for (const { address, chainId } of all) yield* quote({ chainId, address, usd: "1" })
        })
      )
      return priced.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            Wiring.layer({ store: new Store(), chain }, 1, tokens),
            MemoryChains.layer(chain),
            Layer.succeed(Venue.SwapVenues, { venues }),
            Layer.succeed(
              Bridges,
              bridges(script).filter(({ protocol }) => !without.includes(protocol))
            )
          )
        )
      )
    })
  )

const plenty = 1_000_000_000n

/** An account with a wallet on every chain, the unconnected ones too; those it can use have money and allowances. */
export const everywhere = Effect.gen(function* () {
  const { accountId, call } = yield* Accounts.opened()
  const { approve, fund } = yield* MemoryChains.ChainScript
  const wallets = yield* Wallets
  const recipients = yield* Recipients
  const places = new Map<string, { readonly walletId: string; readonly recipientId: string }>()
  for (const { family, id: chainId } of Chain.chains) {
    const wallet = Rows.aWallet(accountId, {
      chainId,
      ...(family === "solana" ? { address: Rows.aSolanaAddress() } : {})
    })
    yield* wallets.add(wallet)
    const recipient = {
      id: Rows.anId(),
      accountId,
      label: "Supplier",
      chainId,
      isOwn: false,
      requiredMemo: null,
      address: family === "solana" ? Rows.aSolanaAddress() : Rows.anAddress(),
      status: "approved" as const,
      cooldownEndsAt: Rows.at(0),
      createdAt: Rows.at(0)
    }
    yield* recipients.add(recipient)
    places.set(chainId, { walletId: wallet.id, recipientId: recipient.id })
    if (unconnected.includes(chainId)) continue
    yield* fund(wallet.address, plenty, chainId)
    if (family === "solana") continue
    for (const label of ["CoW Protocol GPv2VaultRelayer", "deBridge DlnSource"] as const) {
      const spender = spenders[label]
      yield* approve({ owner: wallet.address, spender, amount: plenty, chainId })
    }
  }
  const at = (chainId: string) => places.get(chainId) ?? assert.fail(chainId)
  return { call, at }
})
