/**
 * Tokens as CoinGecko ranks them (docs.coingecko.com, coins/markets). It ranks coins, not contracts: which
 * contract a coin has on a chain, and of how many decimals, is in two lists that are read once a day.
 */
import { Clock, Effect } from "effect"
import type { AddressKey } from "../../core/chains/address.ts"
import type { CatalogueRequest, CatalogueToken, Sort } from "../../core/ports/token-catalogue.ts"
import * as Answer from "./answer.ts"
import type { Source } from "./catalogue-source.ts"
import * as Read from "./read-row.ts"

export const publicUrl = "https://api.coingecko.com"

export interface Options {
  readonly key: string
  readonly url?: string
  readonly deadlineMs?: number
}

/** A chain's name there, and the category that its coins are in. */
const chains: Readonly<Record<string, { readonly platform: string; readonly category: string }>> = {
  ethereum: { platform: "ethereum", category: "ethereum-ecosystem" },
  base: { platform: "base", category: "base-ecosystem" },
  arbitrum: { platform: "arbitrum-one", category: "arbitrum-ecosystem" },
  optimism: { platform: "optimistic-ethereum", category: "optimism-ecosystem" },
  polygon: { platform: "polygon-pos", category: "polygon-ecosystem" },
  solana: { platform: "solana", category: "solana-ecosystem" }
}

/** By gains it orders only what is large by value; 90 days are none of its windows. */
const sorts: ReadonlyArray<Sort> = ["market_cap", "volume_1d", "gainers_1d", "gainers_30d"]
const rows = 250
const maxCoins = 50_000
const bounds = { deadlineMs: 5_000, maxBytes: 4 * 1024 * 1024 }
const listBounds = { deadlineMs: 15_000, maxBytes: 24 * 1024 * 1024 }
const listsKeptMs = 86_400_000

/** The contract of each coin on a chain, by the coin's id, and the decimals of each contract. */
interface Contracts {
  readonly addressOf: ReadonlyMap<string, AddressKey>
  readonly decimalsOf: ReadonlyMap<AddressKey, number>
  readonly readMs: number
}

const contractsIn = (
  chainId: string,
  platform: string,
  coins: unknown,
  list: unknown,
  readMs: number
): Contracts | undefined => {
  const tokens = Read.objectOf(list)?.tokens
  if (!Array.isArray(coins) || !Array.isArray(tokens)) return undefined
  return {
    addressOf: new Map(
      Read.objectsOf(coins, maxCoins).flatMap(({ id, platforms }) => {
        const address = Read.addressOf(chainId, Read.objectOf(platforms)?.[platform])
        return address === undefined ? [] : [[Read.textOf(id), address] as const]
      })
    ),
    decimalsOf: new Map(
      Read.objectsOf(tokens, maxCoins).flatMap((token) => {
        const address = Read.addressOf(chainId, token.address)
        const decimals = Read.decimalsOf(token.decimals)
        return address === undefined || decimals === undefined ? [] : [[address, decimals] as const]
      })
    ),
    readMs
  }
}

const tokenOf = (row: Read.Row, contracts: Contracts): CatalogueToken | undefined => {
  const address = contracts.addressOf.get(Read.textOf(row.id))
  const decimals = address === undefined ? undefined : contracts.decimalsOf.get(address)
  if (address === undefined || decimals === undefined) return undefined
  return {
    address,
    symbol: Read.textOf(row.symbol).toUpperCase(),
    name: Read.textOf(row.name),
    decimals,
    priceUsd: Read.amountOf(row.current_price),
    change24hPct: Read.changeOf(row.price_change_percentage_24h_in_currency),
    change30dPct: Read.changeOf(row.price_change_percentage_30d_in_currency),
    change90dPct: undefined,
    marketCapUsd: Read.amountOf(row.market_cap),
    volume24hUsd: Read.amountOf(row.total_volume),
    isFlagged: false
  }
}

/** The paid plan has a host of its own and another header. */
export const keyHeader = (url: string, key: string) => ({
  [url.includes("pro-api") ? "x-cg-pro-api-key" : "x-cg-demo-api-key"]: key
})

export const source = (connections: Answer.Connections, options: Options): Source => {
  const base = options.url ?? publicUrl
  const kept = new Map<string, Contracts>()
  const get = (path: string, limits: Answer.Bounds) =>
    Answer.get(connections, `${base}/api/v3${path}`, {
      ...limits,
      deadlineMs: options.deadlineMs ?? limits.deadlineMs,
      headers: keyHeader(base, options.key)
    })
  const contractsOn = Effect.fnUntraced(function* (chainId: string, platform: string) {
    const known = kept.get(chainId)
    const nowMs = yield* Clock.currentTimeMillis
    if (known !== undefined && nowMs - known.readMs < listsKeptMs) return known
    const coins = yield* get("/coins/list?include_platform=true", listBounds)
    const list = yield* get(`/token_lists/${platform}/all.json`, listBounds)
    const contracts = contractsIn(chainId, platform, coins, list, nowMs)
    if (contracts !== undefined) kept.set(chainId, contracts)
    return contracts
  })
  const marketsPath = Effect.fnUntraced(function* (request: CatalogueRequest, category: string) {
    const fields = new URLSearchParams({
      vs_currency: "usd",
      order: request.sort === "volume_1d" ? "volume_desc" : "market_cap_desc",
      per_page: String(rows),
      price_change_percentage: "24h,30d"
    })
    if (request.query === undefined) {
      fields.set("category", category)
      return `/coins/markets?${fields}`
    }
    const found = yield* get(`/search?query=${encodeURIComponent(request.query)}`, bounds)
    const ids = Read.objectsOf(Read.objectOf(found)?.coins, 100).map(({ id }) => Read.textOf(id))
    fields.set("ids", ids.join(","))
    return ids.length === 0 ? undefined : `/coins/markets?${fields}`
  })
  return {
    name: "coingecko",
    sortsOn: (chainId) => (chains[chainId] === undefined ? [] : sorts),
    questions: ({ query }) => (query === undefined ? 1 : 2),
    ask: Effect.fnUntraced(function* (request) {
      const chain = chains[request.chainId]
      if (chain === undefined) return undefined
      const contracts = yield* contractsOn(request.chainId, chain.platform)
      if (contracts === undefined) return undefined
      const path = yield* marketsPath(request, chain.category)
      if (path === undefined) return []
      const answer = yield* get(path, bounds)
      return Array.isArray(answer)
        ? Read.objectsOf(answer, rows).flatMap((row) => tokenOf(row, contracts) ?? [])
        : undefined
    })
  }
}
