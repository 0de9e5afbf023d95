/**
 * The operation that lists what the account's wallets have in yield vaults, read from their chains at every
 * call. A vault nobody vouches for is shown and not priced: how much it holds is only its own word.
 */

import { DateTime, Effect, Schema } from "effect"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import { Holdings } from "../ports/holdings.ts"
import { YieldPositions } from "../ports/yield-positions.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { type Token, TokenSettings, verifiedOn } from "../tokens/token.ts"
import { parity } from "../tokens/value.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { positionsOn, vaultsOn } from "./position.ts"
import * as View from "./position-view.ts"
import { type Rates, rateOf, rates, yieldedBy } from "./rates.ts"

/** Wallets asked about at once, and at most for one page. */
const walletsAtOnce = 100
const maxWalletsAsked = 200

/** A position with its place in the list: its wallet's, and after that its own. */
interface Row extends Page.Position {
  readonly position: View.Position
}

const rowOf = (wallet: Wallet, position: View.Position): Row => ({
  createdAt: wallet.createdAt,
  id: `${wallet.id}_${position.vaultAddress}`,
  position
})

const pricesOf = Effect.fnUntraced(function* (tokens: ReadonlyArray<Token>) {
  const asked = tokens.filter(({ isUsdc }) => !isUsdc)
  const { prices, stale } = yield* (yield* AgreedPrices).shown(asked)
  return { stale, of: (token: Token) => (token.isUsdc ? parity : prices[asked.indexOf(token)]) }
})

/** What is in vaults of the list. */
const vouched = Effect.fnUntraced(function* (
  connected: Connected,
  wallets: ReadonlyArray<Wallet>,
  told: Rates
) {
  const { id: chainId } = connected.chain
  const found = yield* positionsOn(connected, wallets)
  const vaults = [...new Set(found.map(({ vault }) => vault))]
  const states = yield* (yield* YieldPositions).states(chainId, vaults)
  const prices = yield* pricesOf(vaults.map(({ token }) => token))
  const asOf = yield* DateTime.now
  return found.map((each) => {
    const state = states[vaults.indexOf(each.vault)]
    const rate = rateOf(each.vault, told.rates)
    return rowOf(
      each.wallet,
      View.ofVouched(each, {
        price: prices.of(each.vault.token),
        apyPct: yieldedBy(rate, state).apyPct,
        asOf,
        stale: prices.stale || (rate !== undefined && told.isStale)
      })
    )
  })
})

/** What wallets were sent of late and answers as a vault does, though nobody vouches for it. */
const strange = Effect.fnUntraced(function* (connected: Connected, wallets: ReadonlyArray<Wallet>) {
  const { id: chainId } = connected.chain
  const tokens = verifiedOn(connected, (yield* TokenSettings).tokens)
  const known = [...tokens, ...(yield* vaultsOn(connected))].flatMap(({ address }) => address ?? [])
  const owners = wallets.map(({ address }) => address)
  const received = yield* (yield* Holdings).received(chainId, owners, known)
  const held = received.map(({ balance, holder, tokenAddress }) => ({
    owner: holder,
    token: tokenAddress,
    balance
  }))
  const found = yield* (yield* YieldPositions).unknown(chainId, held)
  const asOf = yield* DateTime.now
  return found.flatMap((each) => {
    const wallet = wallets.find(({ address }) => address === each.owner)
    const token = tokens.find(({ address }) => address === each.asset)
    return wallet === undefined ? [] : [rowOf(wallet, View.ofStrange(wallet, each, token, asOf))]
  })
})

const positionsOf = Effect.fnUntraced(function* (wallets: ReadonlyArray<Wallet>, told: Rates) {
  const { connected } = yield* Chains
  const answers = yield* Effect.forEach(
    Map.groupBy(wallets, ({ chainId }) => chainId),
    ([chainId, some]) => {
      const connection = connected.find(({ chain }) => chain.id === chainId)
      const asked =
        connection === undefined
          ? Effect.undefined
          : Effect.all([vouched(connection, some, told), strange(connection, some)], {
              concurrency: 2
            }).pipe(
              Effect.map((rows) => rows.flat()),
              Effect.catchTag("ChainUnavailable", () => Effect.undefined)
            )
      return Effect.map(asked, (rows) => ({ chainId, rows }))
    },
    { concurrency: "unbounded" }
  )
  return {
    rows: answers.flatMap(({ rows }) => rows ?? []).sort(Page.newestFirst),
    away: answers.filter(({ rows }) => rows === undefined).map(({ chainId }) => chainId),
    asked: answers.length
  }
})

/** Asks wallet after wallet until the page is full, the wallets end or enough of them were asked about. */
const page = Effect.fnUntraced(function* (accountId: string, { after, limit }: Page.Request) {
  const wallets = yield* Wallets
  const told = yield* rates
  const rows: Array<Row> = []
  const away = new Set<string>()
  let chains = 0
  let place = after
  for (let asked = 0; asked < maxWalletsAsked; asked += walletsAtOnce) {
    const request = { limit: walletsAtOnce, ...(place === undefined ? {} : { after: place }) }
    // A position's place stands before its wallet's, so the wallet of the last one is asked about again.
    const some = yield* wallets.list(accountId, {}, request)
    const found = yield* positionsOf(some.rows, told)
    chains = Math.max(chains, found.asked)
    for (const chainId of found.away) away.add(chainId)
    rows.push(...found.rows.filter((row) => after === undefined || Page.isAfter(row, after)))
    place = some.next
    if (place === undefined || rows.length > limit) break
  }
  const cut = Page.cut(rows, limit)
  const next = cut.next ?? place
  return { rows: cut.rows, away, chains, ...(next === undefined ? {} : { next }) }
})

export const listYieldPositions = Operation.make("list_yield_positions", {
  summary: "Lists what the account's wallets have in vaults that earn, as their chains say it now.",
  next: "get_portfolio counts verified positions once, in netWorthParts. unavailableChainIds lists chains that are missing.",
  scope: "balances:read",
  input: Page.input,
  output: {
    yield_positions: Schema.Array(Schema.Struct(View.fields)),
    unavailableChainIds: Schema.Array(Schema.String).annotate({
      description: "Chains that did not respond; their positions are missing from this page."
    }),
    ...Page.output
  },
  refusals: [UpstreamUnavailable],
  handle: Effect.fnUntraced(function* (input) {
    const { accountId } = yield* Caller
    const found = yield* page(accountId, yield* Page.request(input))
    if (found.away.size > 0 && found.away.size === found.chains) {
      return yield* new UpstreamUnavailable({
        message: "None of these wallets' chains responds; try again shortly.",
        details: { unavailableChainIds: [...found.away].sort() }
      })
    }
    return {
      yield_positions: found.rows.map(({ position }) => position),
      unavailableChainIds: [...found.away].sort(),
      ...Page.answer(found)
    }
  })
})
