/**
 * The operation that finds tokens of a chain by name or by rank. A rank comes from a provider or is refused;
 * where there is no provider, the treasury's own list answers in its own order.
 */

import { DateTime, Effect, Schema } from "effect"
import * as Chain from "../chains/chain.ts"
import * as Text from "../encoding/text.ts"
import { Caller } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { clientLimit, rateLimited } from "../operation/rate-limit.ts"
import { define, RateLimited, UnsupportedChain, UpstreamUnavailable } from "../operation/refusal.ts"
import { oldest, Prices } from "../ports/prices.ts"
import {
  type CatalogueUnavailable,
  type Sort,
  sorts,
  TokenCatalogue
} from "../ports/token-catalogue.ts"
import * as Timestamp from "../time/timestamp.ts"
import { type Pinned, pinnedOn, TokenSettings } from "../tokens/token.ts"
import { parity } from "../tokens/value.ts"
import { connectedChain } from "../wallets/create.ts"
import * as Discovered from "./discovered.ts"
import { ranked } from "./rank.ts"

export class SortNotAvailable extends define("SORT_NOT_AVAILABLE", {
  kind: "invalid",
  meaning:
    "No configured provider can sort the tokens of this chain like this; `details.available` lists the sorts that can be had. Without any, leave `sort` out."
}) {}

const defaultLimit = 10
const maxTokens = 25
const listName = "verified_list"

/** What the answer is made of, before it is cut to a page. */
interface Answer {
  readonly tokens: ReadonlyArray<Discovered.Discovered>
  readonly sort: Sort | null
  readonly asOf: DateTime.Utc
  readonly provider: string
  readonly stale: boolean
}

/** The list itself, with the prices that the portfolio has. */
const fromList = Effect.fnUntraced(function* (pinned: ReadonlyArray<Pinned>) {
  const { prices, stale } = yield* (yield* Prices).of(pinned)
  const tokens = pinned.map((token, at) => {
    const price = token.isUsdc ? parity : prices[at]
    const { change24hPct, usd: priceUsd } = price ?? {}
    return { ...Discovered.ofPinned(token), priceUsd, change24hPct }
  })
  const asOf = oldest(prices) ?? (yield* DateTime.now)
  return { tokens, sort: null, asOf, provider: listName, stale } satisfies Answer
})

const unavailable = Effect.fnUntraced(function* ({
  reason,
  retryAfterSeconds
}: CatalogueUnavailable) {
  if (reason === "spent") {
    const limit = clientLimit((yield* Deployment).rateLimits, "provider_shares")
    const spent = { allowed: false, limit, remaining: 0, resetSeconds: retryAfterSeconds }
    return yield* rateLimited(
      "provider_shares",
      spent,
      "This account has asked the token providers as often as it may in a minute."
    )
  }
  return yield* new UpstreamUnavailable({
    message: `No token provider answers; try again in ${retryAfterSeconds} seconds.`,
    details: { reason, retryAfterSeconds }
  })
})

/** What a provider says, and below it the tokens of the list that it does not name. */
const fromProvider = Effect.fnUntraced(function* (
  chainId: string,
  pinned: ReadonlyArray<Pinned>,
  sort: Sort,
  query: string | undefined
) {
  const { accountId } = yield* Caller
  const { list } = yield* TokenCatalogue
  const told = yield* Effect.catch(list({ chainId, sort, query, askedBy: accountId }), unavailable)
  const named = told.tokens.map((token) => Discovered.ofProvider(token, pinned))
  const rest = pinned.filter((one) => named.every(({ address }) => address !== one.address))
  const tokens = ranked([...named, ...rest.map(Discovered.ofPinned)], sort)
  const { asOf, isStale, provider } = told
  return { tokens, sort, asOf, provider, stale: isStale } satisfies Answer
})

const sortOf = Effect.fnUntraced(function* (chainId: string, asked: Sort | undefined) {
  const available = (yield* TokenCatalogue).sortsOn(chainId)
  if (asked === undefined && available.length === 0) return undefined
  const sort = asked ?? "market_cap"
  if (available.includes(sort)) return sort
  return yield* new SortNotAvailable({
    param: "sort",
    message:
      available.length === 0
        ? `No provider ranks the tokens of ${chainId} here; leave sort out to get the treasury's own list.`
        : `The tokens of ${chainId} cannot be sorted by ${sort} here; use one of: ${available.join(", ")}.`,
    details: { available: [...available] }
  })
})

/** A rank has no time of its own, so a cursor is the place of the last one shown, and its address. */
const pageOf = (tokens: ReadonlyArray<Discovered.Discovered>, cursor: string, limit: number) => {
  const [place = "0", address] = cursor.split("_")
  const at = tokens.findIndex((token) => token.address === address)
  const start = at === -1 ? Math.min(Number(place), tokens.length) : at + 1
  const rows = tokens.slice(start, start + limit)
  const end = start + rows.length
  const last = rows.at(-1)
  const hasMore = end < tokens.length && last !== undefined
  return { rows, hasMore, nextCursor: hasMore ? `${end}_${last.address}` : null }
}

export const discoverTokens = Operation.make("discover_tokens", {
  summary: "Finds tokens of a chain by name, symbol or rank, with prices, changes and addresses.",
  next: "Only verified tokens are traded. get_routing_guide shows what can be traded where.",
  scope: "balances:read",
  input: {
    chainId: Chain.ChainId,
    query: Schema.optionalKey(
      Text.Line(66).annotate({
        description: "Part of a name or symbol, or the address of a contract or mint."
      })
    ),
    sort: Schema.optionalKey(
      Schema.Literals(sorts).annotate({
        description:
          "The order, from the highest to the lowest. Without a provider for the chain, leave it out.",
        default: "market_cap"
      })
    ),
    verifiedOnly: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Lists only verified tokens.", default: false })
    ),
    ...Page.inputOf(defaultLimit, maxTokens)
  },
  output: {
    chainId: Schema.String,
    tokens: Schema.Array(Schema.Struct(Discovered.fields)),
    sort: Schema.NullOr(
      Schema.Literals(sorts).annotate({
        description: "The order of the tokens; null for the treasury's own list, which has no rank."
      })
    ),
    asOf: Timestamp.Encoded.annotate({ description: "When the provider said so." }),
    provider: Schema.String.annotate({
      description: `Who ranks them; \`${listName}\` for the treasury's own list.`
    }),
    stale: Schema.Boolean.annotate({
      description: "The provider did not respond, and this is what it said before."
    }),
    ...Page.output
  },
  refusals: [SortNotAvailable, UnsupportedChain, UpstreamUnavailable, RateLimited],
  example: { input: { chainId: "base", query: "usd" } },
  handle: Effect.fnUntraced(function* ({ cursor = "", limit = defaultLimit, query, ...input }) {
    const connected = yield* connectedChain(input.chainId)
    const chainId = connected.chain.id
    const pinned = pinnedOn(connected, (yield* TokenSettings).tokens)
    const sort = yield* sortOf(chainId, input.sort)
    const answer: Answer =
      sort === undefined
        ? yield* fromList(pinned)
        : yield* fromProvider(chainId, pinned, sort, query)
    const found = answer.tokens
      .filter(({ isVerified }) => isVerified || input.verifiedOnly !== true)
      .filter(Discovered.matches(chainId, query))
    const { rows, ...page } = pageOf(found, cursor, limit)
    const { asOf, provider, stale } = answer
    return {
      chainId,
      tokens: rows.map(Discovered.view(chainId)),
      sort: answer.sort,
      asOf,
      provider,
      stale,
      ...page
    }
  })
})
