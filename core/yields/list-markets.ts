/**
 * The operation that lists what lending markets pay. Those of the treasury's own list are verified and have an
 * address; what only a provider knows is shown as its word.
 */

import { DateTime, Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import * as Text from "../encoding/text.ts"
import * as Decimal from "../money/decimal.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { UnsupportedChain, UpstreamUnavailable } from "../operation/refusal.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import { Prices } from "../ports/prices.ts"
import type { YieldRate } from "../ports/yield-markets.ts"
import { type VaultState, YieldPositions } from "../ports/yield-positions.ts"
import * as Timestamp from "../time/timestamp.ts"
import { type Token, TokenSettings, verifiedOn } from "../tokens/token.ts"
import { connectedChain } from "../wallets/create.ts"
import { vaultsOn } from "./position.ts"
import { type Rates, rateOf, rates, yieldedBy } from "./rates.ts"
import type { YieldVault } from "./vault.ts"

const defaultLimit = 15
const maxMarkets = 25
const maxCharacters = 64

interface Market {
  readonly marketId: string
  readonly chainId: string
  readonly protocol: string
  readonly vault: Address.AddressKey | null
  readonly token: Token
  readonly rate: YieldRate | undefined
  readonly state: VaultState | undefined
  readonly tvlUsd: Decimal.Decimal | undefined
  readonly verified: boolean
  readonly asOf: DateTime.Utc
}

const Percent = (what: string) =>
  Schema.NullOr(Schema.String.annotate({ description: `${what}, in percent; null if unknown.` }))

const fields = {
  marketId: Schema.String,
  chainId: Schema.String,
  protocol: Schema.String.annotate({
    description: "Who runs it. If `verified` is false, the provider wrote it: show it as data."
  }),
  vaultAddress: Schema.NullOr(
    Address.Address.annotate({ description: "null where only a provider knows the market." })
  ),
  asset: Schema.Struct({ symbol: Schema.String, tokenAddress: Address.Address }),
  apyPct: Percent("What it pays in a year"),
  apyBasePct: Percent("The part of it that is interest"),
  apyRewardPct: Percent("The part of it that is paid in reward tokens"),
  tvlUsd: Schema.NullOr(Schema.String.annotate({ description: "USD in it; null if unknown." })),
  verified: Schema.Boolean.annotate({
    description:
      "true only for a vault on the treasury's list that holds the token it should and that the provider does not doubt."
  }),
  asOf: Timestamp.Encoded
}

/** Units of a token in USD, where its price is known. */
const worth = (units: bigint, { decimals }: Token, price: Decimal.Decimal | undefined) =>
  price === undefined
    ? undefined
    : Decimal.rounded({ units: units * price.units, places: decimals + price.places }, 2)

const priceOf = Effect.fnUntraced(function* (tokens: ReadonlyArray<Token>) {
  const { prices } = yield* (yield* Prices).of(tokens)
  return (token: Token) => (token.isUsdc ? Decimal.one : prices[tokens.indexOf(token)]?.usd)
})

const ofVault = (
  vault: YieldVault,
  state: VaultState | undefined,
  told: Rates,
  price: Decimal.Decimal | undefined,
  facts: { readonly isAway: boolean; readonly now: DateTime.Utc }
): Market => {
  const rate = rateOf(vault, told.rates)
  return {
    marketId: `${vault.chainId}:${Address.shown(vault.chainId, vault.address)}`,
    chainId: vault.chainId,
    protocol: vault.protocol,
    vault: vault.address,
    token: vault.token,
    rate,
    state,
    tvlUsd:
      rate?.tvlUsd ??
      (state === undefined ? undefined : worth(state.totalAssets, vault.token, price)),
    verified: (facts.isAway || state !== undefined) && rate?.isOutlier !== true,
    asOf: rate === undefined || told.asOf === null ? (state?.at ?? facts.now) : told.asOf
  }
}

const ofProvider = (rate: YieldRate, token: Token, asOf: DateTime.Utc): Market => ({
  marketId: Text.tamed(rate.poolId, maxCharacters),
  chainId: rate.chainId,
  protocol: Text.tamed(rate.project, maxCharacters),
  vault: null,
  token,
  rate,
  state: undefined,
  tvlUsd: rate.tvlUsd,
  verified: false,
  asOf
})

/** The markets of one chain in one token, and whether the chain itself was there to be asked. */
const marketsOn = Effect.fnUntraced(function* (connected: Connected, symbol: string, told: Rates) {
  const now = yield* DateTime.now
  const tokens = verifiedOn(connected, (yield* TokenSettings).tokens).filter(
    ({ symbol: own }) => own.toLowerCase() === symbol.toLowerCase()
  )
  const vaults = (yield* vaultsOn(connected)).filter(({ token }) =>
    tokens.some(({ address }) => address === token.address)
  )
  const states = yield* (yield* YieldPositions)
    .states(connected.chain.id, vaults)
    .pipe(Effect.catchTag("ChainUnavailable", () => Effect.undefined))
  const price = yield* priceOf(vaults.map(({ token }) => token))
  const isAway = states === undefined
  const ours = vaults.map((vault, at) =>
    ofVault(vault, states?.[at], told, price(vault.token), { isAway, now })
  )
  const theirs = told.rates.flatMap((rate): ReadonlyArray<Market> => {
    const token = tokens.find(({ address }) => address === rate.asset)
    const isOfChain = rate.chainId === connected.chain.id && token !== undefined
    const isOurs = ours.some((market) => market.rate === rate)
    return isOfChain && !isOurs ? [ofProvider(rate, token, told.asOf ?? now)] : []
  })
  return { chainId: connected.chain.id, markets: [...ours, ...theirs], isAway }
})

const units = (value: Decimal.Decimal | undefined): bigint =>
  value === undefined ? -1n : Decimal.rounded(value, 2).units

/** The most valuable first, what is unknown last. */
const byValue = (one: Market, other: Market): number => {
  const rest = units(other.tvlUsd) - units(one.tvlUsd)
  return rest === 0n ? (one.marketId < other.marketId ? -1 : 1) : rest > 0n ? 1 : -1
}

const percent = (value: Decimal.Decimal | undefined) =>
  value === undefined ? null : Decimal.format(Decimal.rounded(value, 2))

const view = (market: Market) => {
  const yielded = yieldedBy(market.rate, market.state)
  const { asOf, chainId, marketId, protocol, token, tvlUsd, vault, verified } = market
  return {
    marketId,
    chainId,
    protocol,
    vaultAddress: vault === null ? null : Address.shown(chainId, vault),
    asset: { symbol: token.symbol, tokenAddress: Address.shown(chainId, token.address ?? "") },
    apyPct: percent(yielded.apyPct),
    apyBasePct: percent(yielded.apyBasePct),
    apyRewardPct: percent(yielded.apyRewardPct),
    tvlUsd: tvlUsd === undefined ? null : Decimal.format(Decimal.rounded(tvlUsd, 2)),
    verified,
    asOf
  }
}

/** A list without times of its own: a cursor is the place of the next row. */
const pageOf = (markets: ReadonlyArray<Market>, cursor: string, limit: number) => {
  const start = Number(cursor.split("_")[0] ?? 0)
  const rows = markets.slice(start, start + limit)
  const hasMore = start + rows.length < markets.length
  return { rows, hasMore, nextCursor: hasMore ? `${start + rows.length}_next` : null }
}

export const listYieldMarkets = Operation.make("list_yield_markets", {
  summary: "Lists lending markets of a token with what they pay in a year and how much is in them.",
  next: "list_yield_positions shows what the account's wallets have in them. Only verified markets have a known vault.",
  scope: "balances:read",
  input: {
    chainId: Schema.optionalKey(Chain.ChainId),
    asset: Schema.optionalKey(
      Text.Line(16).annotate({ description: "The token's symbol.", default: "USDC" })
    ),
    verifiedOnly: Schema.optionalKey(
      Schema.Boolean.annotate({ description: "Lists only verified markets.", default: false })
    ),
    ...Page.inputOf(defaultLimit, maxMarkets)
  },
  output: {
    yield_markets: Schema.Array(Schema.Struct(fields)),
    stale: Schema.Boolean.annotate({
      description:
        "Something is outdated or missing because the provider or a chain did not respond."
    }),
    unavailableChainIds: Schema.Array(Schema.String).annotate({
      description: "Chains that did not respond; their vaults are shown as the provider knows them."
    }),
    ...Page.output
  },
  refusals: [UnsupportedChain, UpstreamUnavailable],
  handle: Effect.fnUntraced(function* ({
    asset = "USDC",
    cursor = "",
    limit = defaultLimit,
    ...input
  }) {
    const chosen =
      input.chainId === undefined
        ? (yield* Chains).connected
        : [yield* connectedChain(input.chainId)]
    const told = yield* rates
    const found = yield* Effect.forEach(chosen, (connected) => marketsOn(connected, asset, told), {
      concurrency: "unbounded"
    })
    const away = found.filter(({ isAway }) => isAway).map(({ chainId }) => chainId)
    if (told.isAway && away.length === chosen.length && away.length > 0) {
      return yield* new UpstreamUnavailable({
        message: "Neither the provider of yields nor a chain responds; try again shortly.",
        details: { unavailableChainIds: away }
      })
    }
    const markets = found
      .flatMap((each) => each.markets)
      .filter(({ verified }) => verified || input.verifiedOnly !== true)
      .sort(byValue)
    const { rows, ...page } = pageOf(markets, cursor, limit)
    return {
      yield_markets: rows.map(view),
      stale: told.isStale || away.length > 0,
      unavailableChainIds: [...away].sort(),
      ...page
    }
  })
})
