/**
 * Tokens of Solana as Jupiter lists them (dev.jup.ag, tokens v2). It knows changes over 24 hours alone; what
 * it does not call verified counts as doubted.
 */

import { Effect } from "effect"
import type { CatalogueRequest, CatalogueToken, Sort } from "../../core/ports/token-catalogue.ts"
import * as Answer from "./answer.ts"
import type { Source } from "./catalogue-source.ts"
import * as Read from "./read-row.ts"

export const publicUrl = "https://api.jup.ag"

export interface Options {
  readonly key: string
  readonly url?: string
  readonly deadlineMs?: number
}

const chain = "solana"
const sorts: ReadonlyArray<Sort> = ["market_cap", "gainers_1d", "volume_1d"]
/** Its list of verified tokens has some thousand rows and no order of its own. */
const rows = 10_000
const bounds = { deadlineMs: 8_000, maxBytes: 16 * 1024 * 1024 }

const pathOf = ({ query, sort }: CatalogueRequest): string => {
  if (query !== undefined) return `/tokens/v2/search?query=${encodeURIComponent(query)}`
  return sort === "volume_1d"
    ? "/tokens/v2/toptraded/24h?limit=100"
    : "/tokens/v2/tag?query=verified"
}

const tokenOf = (row: Read.Row): CatalogueToken | undefined => {
  const address = Read.addressOf(chain, row.id)
  const decimals = Read.decimalsOf(row.decimals)
  if (address === undefined || decimals === undefined) return undefined
  const day = Read.objectOf(row.stats24h) ?? {}
  return {
    address,
    symbol: Read.textOf(row.symbol),
    name: Read.textOf(row.name),
    decimals,
    priceUsd: Read.amountOf(row.usdPrice),
    change24hPct: Read.changeOf(day.priceChange),
    change30dPct: undefined,
    change90dPct: undefined,
    marketCapUsd: Read.amountOf(row.mcap),
    volume24hUsd: Read.sumOf(day.buyVolume, day.sellVolume),
    isFlagged: row.isVerified !== true || Read.objectOf(row.audit)?.isSus === true
  }
}

export const source = (connections: Answer.Connections, options: Options): Source => ({
  name: "jupiter",
  sortsOn: (chainId) => (chainId === chain ? sorts : []),
  questions: () => 1,
  ask: (request) =>
    Answer.get(connections, `${options.url ?? publicUrl}${pathOf(request)}`, {
      ...bounds,
      deadlineMs: options.deadlineMs ?? bounds.deadlineMs,
      headers: { "x-api-key": options.key }
    }).pipe(
      Effect.map((answer) =>
        Array.isArray(answer)
          ? Read.objectsOf(answer, rows).flatMap((row) => tokenOf(row) ?? [])
          : undefined
      )
    )
})
