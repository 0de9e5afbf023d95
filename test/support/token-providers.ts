/**
 * Providers of tokens on loopback, in the shapes of Zerion, CoinGecko and Jupiter, over one list that a test
 * writes: each orders by what it knows, and can be away in every way a provider is.
 */
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as Decimal from "../../core/money/decimal.ts"
import type { CatalogueToken } from "../../core/ports/token-catalogue.ts"

export type Shape = "zerion" | "coingecko" | "jupiter"

/** Answers in the place of the provider; undefined lets it answer as it should. */
export type Trouble = (response: ServerResponse) => "answered" | undefined

const number = (value: Decimal.Decimal | undefined): number | null =>
  value === undefined ? null : Number(Decimal.format(value))

const shapes: Readonly<
  Record<Shape, (path: URL, tokens: ReadonlyArray<CatalogueToken>) => unknown>
> = {
  zerion: ({ searchParams }, tokens) => ({
    links: { next: null },
    data: called(tokens, searchParams.get("filter[search_query]")).map((token) => ({
      type: "fungibles",
      id: token.address,
      attributes: {
        name: token.name,
        symbol: token.symbol,
        flags: { verified: !token.isFlagged },
        implementations: [
          { chain_id: "elsewhere", address: "0x01", decimals: 1 },
          {
            chain_id: searchParams.get("filter[implementation_chain_id]"),
            address: token.address,
            decimals: token.decimals
          }
        ],
        market_data: {
          price: number(token.priceUsd),
          market_cap: number(token.marketCapUsd),
          changes: {
            percent_1d: number(token.change24hPct),
            percent_30d: number(token.change30dPct),
            percent_90d: number(token.change90dPct)
          }
        }
      }
    }))
  }),
  coingecko: ({ pathname, searchParams }, tokens) => {
    if (pathname.endsWith("/coins/list")) {
      return tokens.map(({ address }, at) => ({ id: `coin-${at}`, platforms: { base: address } }))
    }
    if (pathname.endsWith("/all.json")) {
      return {
        name: "CoinGecko",
        tokens: tokens.map(({ address, decimals }) => ({ address, decimals }))
      }
    }
    const withId = tokens.map((token, at) => ({ ...token, id: `coin-${at}` }))
    if (pathname.endsWith("/search")) return { coins: called(withId, searchParams.get("query")) }
    const ids = searchParams.get("ids")?.split(",")
    return withId
      .filter(({ id }) => ids === undefined || ids.includes(id))
      .map((token) => ({
        id: token.id,
        symbol: token.symbol.toLowerCase(),
        name: token.name,
        current_price: number(token.priceUsd),
        market_cap: number(token.marketCapUsd),
        total_volume: number(token.volume24hUsd),
        price_change_percentage_24h_in_currency: number(token.change24hPct),
        price_change_percentage_30d_in_currency: number(token.change30dPct)
      }))
  },
  jupiter: ({ searchParams }, tokens) =>
    called(tokens, searchParams.get("query") === "verified" ? null : searchParams.get("query")).map(
      (token) => ({
        id: token.address,
        name: token.name,
        symbol: token.symbol,
        decimals: token.decimals,
        isVerified: !token.isFlagged,
        mcap: number(token.marketCapUsd),
        usdPrice: number(token.priceUsd),
        stats24h: {
          priceChange: number(token.change24hPct),
          buyVolume: number(token.volume24hUsd),
          sellVolume: null
        }
      })
    )
}

const called = <Token extends CatalogueToken>(
  tokens: ReadonlyArray<Token>,
  query: string | null
): ReadonlyArray<Token> =>
  query === null
    ? tokens
    : tokens.filter(({ symbol }) => symbol.toLowerCase().includes(query.toLowerCase()))

/** Listens until the scope closes. */
export const open = Effect.fnUntraced(function* (shape: Shape) {
  const state = {
    tokens: [] as ReadonlyArray<CatalogueToken>,
    trouble: (() => undefined) as Trouble
  }
  const asked: Array<{
    readonly path: string
    readonly headers: Readonly<Record<string, unknown>>
  }> = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", "http://localhost")
    asked.push({ path: `${url.pathname}${url.search}`, headers: request.headers })
    if (state.trouble(response) === "answered") return
    const body = JSON.stringify(shapes[shape](url, state.tokens))
    response.writeHead(200, { "content-type": "application/json" }).end(body)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  // Listening on TCP, its address is an object.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    tell: (tokens: ReadonlyArray<CatalogueToken>) =>
      Effect.sync(() => {
        state.tokens = tokens
      }),
    trouble: (next: Trouble = () => undefined) =>
      Effect.sync(() => {
        state.trouble = next
      })
  }
})

export type TokenProvider = Effect.Success<ReturnType<typeof open>>

const answering =
  (status: number, body: string, headers: Readonly<Record<string, string>> = {}): Trouble =>
  (response) => {
    response.writeHead(status, headers).end(body)
    return "answered"
  }

export const troubles: Readonly<Record<string, Trouble>> = {
  "429": answering(429, "slow down", { "retry-after": "40" }),
  "500": answering(500, "<html>oops</html>"),
  silence: () => "answered",
  "a closed connection": (response) => {
    response.destroy()
    return "answered"
  },
  "a redirect": answering(302, "", { location: "/elsewhere" }),
  "no JSON": answering(200, "tokens"),
  "JSON of another shape": answering(200, '{"data":{"tokens":[]}}'),
  "an answer too large": (response) => {
    const length = 40 * 1024 * 1024
    response.writeHead(200, { "content-length": String(length) })
    response.end(Buffer.alloc(length, 0x20))
    return "answered"
  },
  "a drip without end": (response) => {
    response.writeHead(200)
    const drip = setInterval(() => response.write(" "), 20)
    response.on("close", () => clearInterval(drip))
    return "answered"
  }
}
