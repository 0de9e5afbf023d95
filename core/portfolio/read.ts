/**
 * Reads what wallets hold and what it is worth: first their chains, then the prices of what was found. A
 * chain that is away is named and left out; a price that is missing is unknown, never zero and never made up.
 */
import { type DateTime, Effect } from "effect"
import type { TokenId } from "../chains/token-amount.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import { Holdings } from "../ports/holdings.ts"
import { oldest, Prices } from "../ports/prices.ts"
import { type Token, TokenSettings, verifiedOn } from "../tokens/token.ts"
import type { Wallet } from "../wallets/wallet.ts"
import * as Holding from "./holding.ts"
import { parity } from "./value.ts"

export interface WalletHolding {
  readonly wallet: Wallet
  readonly holding: Holding.Holding
}

export interface Reading {
  readonly held: ReadonlyArray<WalletHolding>
  /** The wallets that could be read. */
  readonly wallets: ReadonlyArray<Wallet>
  /** The chains that could not. */
  readonly unavailable: ReadonlyArray<string>
  /** The time of the oldest price used; undefined when nothing needed one that is known. */
  readonly pricesAsOf: DateTime.Utc | undefined
  /** Something is old or missing because someone did not answer. */
  readonly stale: boolean
}

interface Balance {
  readonly wallet: Wallet
  readonly token: Token
  readonly balance: bigint
}

/** What one chain told; `isWhole` is false when a part of it would not. */
interface Survey {
  readonly wallets: ReadonlyArray<Wallet>
  readonly balances: ReadonlyArray<Balance>
  readonly spam: ReadonlyArray<WalletHolding>
  readonly isWhole: boolean
}

const unasked = Effect.fnUntraced(function* (
  connected: Connected,
  wallets: ReadonlyArray<Wallet>,
  tokens: ReadonlyArray<Token>
) {
  const walletByAddress = new Map(wallets.map((wallet) => [wallet.address, wallet]))
  const known = tokens.flatMap(({ address }) => address ?? [])
  const found = yield* (yield* Holdings).received(
    connected.chain.id,
    wallets.map(({ address }) => address),
    known
  )
  return found.flatMap((foreign): ReadonlyArray<WalletHolding> => {
    const wallet = walletByAddress.get(foreign.holder)
    const holding = Holding.ofForeign(connected.chain.id, foreign)
    return wallet === undefined ? [] : [{ wallet, holding }]
  })
})

const ask = Effect.fnUntraced(function* (connected: Connected, wallets: ReadonlyArray<Wallet>) {
  const tokens = verifiedOn(connected, (yield* TokenSettings).tokens)
  const balancesOf = (yield* Holdings).balances(
    connected.chain.id,
    wallets.map(({ address }) => address),
    tokens
  )
  // What strangers send is a courtesy to know: without it the rest still stands.
  const spamOf = unasked(connected, wallets, tokens).pipe(Effect.catch(() => Effect.undefined))
  const [rows, spam] = yield* Effect.all([balancesOf, spamOf], { concurrency: 2 })
  const balances = wallets.flatMap((wallet, row) =>
    tokens.flatMap((token, column): ReadonlyArray<Balance> => {
      const balance = rows[row]?.[column] ?? 0n
      return balance === 0n ? [] : [{ wallet, token, balance }]
    })
  )
  const isWhole = spam !== undefined && rows.every((row) => !row.includes(undefined))
  return { wallets, balances, spam: spam ?? [], isWhole } satisfies Survey
})

/** What every chain told, or that it is away. */
const askAll = Effect.fnUntraced(function* (wallets: ReadonlyArray<Wallet>) {
  const { connected } = yield* Chains
  const byChain = Map.groupBy(wallets, ({ chainId }) => chainId)
  const answers = yield* Effect.forEach(
    byChain,
    ([chainId, on]): Effect.Effect<Survey | string, never, Holdings | TokenSettings> => {
      const chain = connected.find((each) => each.chain.id === chainId)
      return chain === undefined
        ? Effect.succeed(chainId)
        : Effect.catchTag(ask(chain, on), "ChainUnavailable", () => Effect.succeed(chainId))
    },
    { concurrency: "unbounded" }
  )
  return {
    told: answers.filter((answer) => typeof answer !== "string"),
    unavailable: answers.filter((answer) => typeof answer === "string").sort()
  }
})

const keyOf = ({ chainId, address }: Token): string => `${chainId} ${address}`

/** The prices of what was found, each token asked for once; USDC is worth a dollar without asking. */
const priced = Effect.fnUntraced(function* (balances: ReadonlyArray<Balance>) {
  const priceByKey = new Map<string, Holding.Holding["price"]>()
  const wanted = new Map<string, TokenId>()
  for (const { token } of balances) {
    if (token.isUsdc) priceByKey.set(keyOf(token), parity)
    else wanted.set(keyOf(token), token)
  }
  const quotes = yield* (yield* Prices).of([...wanted.values()])
  for (const [at, key] of [...wanted.keys()].entries()) priceByKey.set(key, quotes.prices[at])
  const held = balances.map(({ wallet, token, balance }) => ({
    wallet,
    holding: Holding.ofToken(token, balance, priceByKey.get(keyOf(token)))
  }))
  return { held, pricesAsOf: oldest(quotes.prices), stale: quotes.stale }
})

/** Everything these wallets hold, in no order. Never inside a transaction: it waits for others. */
export const read = Effect.fnUntraced(function* (wallets: ReadonlyArray<Wallet>) {
  const { told, unavailable } = yield* askAll(wallets)
  const { held, pricesAsOf, stale } = yield* priced(told.flatMap(({ balances }) => balances))
  return {
    held: [...held, ...told.flatMap(({ spam }) => spam)],
    wallets: told.flatMap((each) => each.wallets),
    unavailable,
    pricesAsOf,
    stale: stale || unavailable.length > 0 || told.some(({ isWhole }) => !isWhole)
  } satisfies Reading
})
