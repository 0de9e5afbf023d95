/**
 * Tokens as Zerion ranks them (developers.zerion.io, fungibles). It knows every order but that by volume, and
 * says of each token whether it vouches for it.
 */

import { Effect } from "effect"
import type { CatalogueRequest, CatalogueToken, Sort } from "../../core/ports/token-catalogue.ts"
import * as Answer from "./answer.ts"
import type { Source } from "./catalogue-source.ts"
import * as Read from "./read-row.ts"

export const publicUrl = "https://api.zerion.io"

export interface Options {
  readonly key: string
  readonly url?: string
  readonly deadlineMs?: number
}

/** Its names of chains are ours. */
const chains = ["ethereum", "base", "arbitrum", "optimism", "polygon", "solana"]

const orders: Readonly<Partial<Record<Sort, string>>> = {
  gainers_1d: "-market_data.price.percent_change_1d",
  gainers_30d: "-market_data.price.percent_change_30d",
  gainers_90d: "-market_data.price.percent_change_90d",
  market_cap: "-market_data.market_cap"
}

const rows = 100
const bounds = { deadlineMs: 5_000, maxBytes: 2 * 1024 * 1024 }

const urlOf = (base: string, { chainId, query, sort }: CatalogueRequest): string => {
  const fields = new URLSearchParams({
    currency: "usd",
    "page[size]": String(rows),
    "filter[implementation_chain_id]": chainId,
    sort: orders[sort] ?? "",
    ...(query === undefined ? {} : { "filter[search_query]": query })
  })
  return `${base}/v1/fungibles/?${fields}`
}

const tokenOf = (chainId: string, row: Read.Row): CatalogueToken | undefined => {
  const about = Read.objectOf(row.attributes) ?? {}
  const here = Read.objectsOf(about.implementations, 200).find(
    (each) => each.chain_id === chainId && each.address !== null
  )
  const address = Read.addressOf(chainId, here?.address)
  const decimals = Read.decimalsOf(here?.decimals)
  if (address === undefined || decimals === undefined) return undefined
  const market = Read.objectOf(about.market_data) ?? {}
  const changes = Read.objectOf(market.changes) ?? {}
  return {
    address,
    symbol: Read.textOf(about.symbol),
    name: Read.textOf(about.name),
    decimals,
    priceUsd: Read.amountOf(market.price),
    change24hPct: Read.changeOf(changes.percent_1d),
    change30dPct: Read.changeOf(changes.percent_30d),
    change90dPct: Read.changeOf(changes.percent_90d),
    marketCapUsd: Read.amountOf(market.market_cap),
    volume24hUsd: undefined,
    isFlagged: Read.objectOf(about.flags)?.verified !== true
  }
}

export const source = (connections: Answer.Connections, options: Options): Source => ({
  name: "zerion",
  sortsOn: (chainId) => (chains.includes(chainId) ? (Object.keys(orders) as Array<Sort>) : []),
  questions: () => 1,
  ask: (request) =>
    Answer.get(connections, urlOf(options.url ?? publicUrl, request), {
      ...bounds,
      deadlineMs: options.deadlineMs ?? bounds.deadlineMs,
      headers: { authorization: `Basic ${Buffer.from(`${options.key}:`).toString("base64")}` }
    }).pipe(
      Effect.map((answer) => {
        const data = Read.objectOf(answer)?.data
        return Array.isArray(data)
          ? Read.objectsOf(data, rows).flatMap((row) => tokenOf(request.chainId, row) ?? [])
          : undefined
      })
    )
})
