/** The second source of prices, against a server that answers as CoinGecko does, and one that does not. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as CoingeckoPrices from "../../../adapters/providers/coingecko-prices.ts"
import { keyOf } from "../../../core/chains/address.ts"
import { format } from "../../../core/money/decimal.ts"
import { SecondPrices } from "../../../core/tokens/agreed-price.ts"
import { type Listed, plain, wellKnown } from "../../../core/tokens/token.ts"

const named = wellKnown.filter(({ priceId }) => priceId !== null)
const [first] = named
if (first === undefined) throw new Error("No token that everybody knows has a price id.")

const own: Listed = {
  ...plain,
  ...first,
  address: first.address,
  chainId: "base",
  symbol: "OWN",
  priceId: "own-coin"
}

const idOf = ({ address, chainId }: Listed) => ({ chainId, address: keyOf(chainId, address) })

type Reply = (request: IncomingMessage, response: ServerResponse) => void

const market = Effect.gen(function* () {
  const asked: Array<IncomingMessage> = []
  let reply: Reply = (_request, response) => response.end("{}")
  const server = createServer((request, response) => {
    asked.push(request)
    reply(request, response)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const { port } = server.address() as AddressInfo
  return {
    asked,
    url: `http://127.0.0.1:${port}`,
    replies: (next: Reply) => {
      reply = next
    },
    says: (body: unknown) => {
      reply = (_request, response) => response.end(JSON.stringify(body))
    }
  }
})

const pricesOver = (url: string, options: Partial<CoingeckoPrices.Options> = {}) =>
  Effect.map(
    Layer.build(CoingeckoPrices.layer({ key: "k3y", url, ...options }, [own])),
    (context) => Effect.runSync(Effect.provide(SecondPrices, context)).of
  )

const nowSeconds = () => Math.floor(Date.now() / 1000)
const id = first.priceId ?? ""

describe("CoinGecko as the second source of prices", () => {
  it.live(
    "gives each token the price of its coin with that price's time, asked once a minute",
    () =>
      Effect.gen(function* () {
        const { asked, says, url } = yield* market
        const of = yield* pricesOver(url)
        const at = nowSeconds() - 40
        says({
          [id]: { usd: 1234.5678, last_updated_at: at },
          "own-coin": { usd: 3e-7, last_updated_at: at }
        })
        const unknown = { chainId: "base", address: keyOf("base", `0x${"ee".repeat(20)}`) }
        const { prices, stale } = yield* of([idOf(first), idOf(own), unknown])
        assert.deepStrictEqual(
          prices.map((price) => price && format(price.usd)),
          ["1234.5678", "0.0000003", undefined]
        )
        assert.strictEqual(
          DateTime.toEpochMillis(prices[0]?.asOf ?? DateTime.makeUnsafe(0)),
          at * 1000
        )
        assert.isFalse(stale)
        yield* of([idOf(first)])
        assert.lengthOf(asked, 1)
        const query = new URL(asked[0]?.url ?? "", url).searchParams
        assert.sameMembers((query.get("ids") ?? "").split(","), [id, "own-coin"])
        assert.strictEqual(asked[0]?.headers["x-cg-demo-api-key"], "k3y")
      }).pipe(Effect.scoped)
  )

  it.live("has no price for what is malformed, worth nothing or without a time", () =>
    Effect.gen(function* () {
      const { says, url } = yield* market
      const rows = [
        undefined,
        null,
        [],
        {},
        { usd: 1 },
        { usd: "1", last_updated_at: nowSeconds() },
        { usd: 0, last_updated_at: nowSeconds() },
        { usd: -1, last_updated_at: nowSeconds() },
        { usd: 1, last_updated_at: "now" },
        { usd: 1, last_updated_at: 1.5 },
        { usd: 1, last_updated_at: Number.MAX_SAFE_INTEGER }
      ]
      for (const row of rows) {
        says({ [id]: row })
        const of = yield* pricesOver(url)
        const { prices } = yield* of([idOf(first)])
        assert.deepStrictEqual(prices, [undefined], JSON.stringify(row))
      }
    }).pipe(Effect.scoped)
  )

  it.live("takes a time of the future for now", () =>
    Effect.gen(function* () {
      const { says, url } = yield* market
      const of = yield* pricesOver(url)
      says({ [id]: { usd: 2, last_updated_at: nowSeconds() + 3600 } })
      const { prices } = yield* of([idOf(first)])
      const asOf = DateTime.toEpochMillis(prices[0]?.asOf ?? DateTime.makeUnsafe(0))
      assert.isAtMost(asOf, Date.now())
    }).pipe(Effect.scoped)
  )

  it.live("says that it is stale while the provider is away, and leaves it alone for a while", () =>
    Effect.gen(function* () {
      const { asked, replies, says, url } = yield* market
      for (const reply of [
        (_request, response) => response.writeHead(500).end(),
        (_request, response) => response.writeHead(429).end(),
        (_request, response) => response.end("<html>"),
        (_request, response) => response.end("[]"),
        (request) => request.socket.destroy()
      ] satisfies ReadonlyArray<Reply>) {
        replies(reply)
        const of = yield* pricesOver(url)
        const before = asked.length
        const { prices, stale } = yield* of([idOf(first)])
        assert.deepStrictEqual([prices, stale], [[undefined], true])
        says({ [id]: { usd: 2, last_updated_at: nowSeconds() } })
        assert.isTrue((yield* of([idOf(first)])).stale)
        assert.strictEqual(asked.length, before + 1)
      }
    }).pipe(Effect.scoped)
  )

  it.live("keeps what it said last when it is not heard again, with its own time", () =>
    Effect.gen(function* () {
      const { replies, says, url } = yield* market
      const of = yield* pricesOver(url, { keepMs: 0 })
      const at = nowSeconds() - 10
      says({ [id]: { usd: 2, last_updated_at: at } })
      yield* of([idOf(first)])
      replies((_request, response) => response.writeHead(503).end())
      const { prices, stale } = yield* of([idOf(first)])
      assert.isTrue(stale)
      assert.strictEqual(
        DateTime.toEpochMillis(prices[0]?.asOf ?? DateTime.makeUnsafe(0)),
        at * 1000
      )
    }).pipe(Effect.scoped)
  )
})
