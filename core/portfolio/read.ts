/**
 * Reads what wallets hold and what it is worth: first their chains, then the prices of what was found. A
 * chain that is away is named and left out; a price that is missing, or that two sources contradict
 * each other about, is unknown, never zero and never made up.
 */
import { type DateTime, Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { TokenId } from "../chains/token-amount.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import { Holdings } from "../ports/holdings.ts"
import { oldest } from "../ports/prices.ts"
import type { YieldPositions } from "../ports/yield-positions.ts"
import { AgreedPrices } from "../tokens/agreed-price.ts"
import { type Token, TokenSettings, verifiedOn } from "../tokens/token.ts"
import { parity } from "../tokens/value.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { positionsOn, vaultsOn } from "../yields/position.ts"
import type { YieldSettings } from "../yields/vault.ts"
import * as Holding from "./holding.ts"

export interface WalletHolding {
  readonly wallet: Wallet
  readonly holding: Holding.Holding
}

export interface Reading {
  readonly held: ReadonlyArray<WalletHolding>
  /** What is in yield vaults that are vouched for, as holdings of the tokens in them. */
  readonly deposited: ReadonlyArray<WalletHolding>
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
  readonly deposits: ReadonlyArray<Balance>
  readonly spam: ReadonlyArray<WalletHolding>
  readonly isWhole: boolean
}

const unasked = Effect.fnUntraced(function* (
  connected: Connected,
  wallets: ReadonlyArray<Wallet>,
  known: ReadonlyArray<AddressKey>
) {
  const walletByAddress = new Map(wallets.map((wallet) => [wallet.address, wallet]))
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

/** What wallets have in yield vaults; undefined when a vault could not be asked. */
const depositsOf = (connected: Connected, wallets: ReadonlyArray<Wallet>) =>
  positionsOn(connected, wallets).pipe(
    Effect.map((positions) =>
      positions.map(({ assets, vault, wallet }) => ({
        wallet,
        token: vault.token,
        balance: assets
      }))
    ),
    Effect.catch(() => Effect.undefined)
  )

const ask = Effect.fnUntraced(function* (connected: Connected, wallets: ReadonlyArray<Wallet>) {
  const vaults = new Set((yield* vaultsOn(connected)).map(({ address }) => address))
  // A vault's share that is listed as a token too would count twice.
  const tokens = verifiedOn(connected, (yield* TokenSettings).tokens).filter(
    ({ address }) => address === null || !vaults.has(address)
  )
  const balancesOf = (yield* Holdings).balances(
    connected.chain.id,
    wallets.map(({ address }) => address),
    tokens
  )
  // What strangers send is a courtesy to know: without it the rest still stands.
  const known = [...tokens.flatMap(({ address }) => address ?? []), ...vaults]
  const spamOf = unasked(connected, wallets, known).pipe(Effect.catch(() => Effect.undefined))
  const [rows, spam, deposits] = yield* Effect.all(
    [balancesOf, spamOf, depositsOf(connected, wallets)],
    { concurrency: 3 }
  )
  const balances = wallets.flatMap((wallet, row) =>
    tokens.flatMap((token, column): ReadonlyArray<Balance> => {
      const balance = rows[row]?.[column] ?? 0n
      return balance === 0n ? [] : [{ wallet, token, balance }]
    })
  )
  const isWhole =
    spam !== undefined && deposits !== undefined && rows.every((row) => !row.includes(undefined))
  return { wallets, balances, deposits: deposits ?? [], spam: spam ?? [], isWhole } satisfies Survey
})

/** What every chain told, or that it is away. */
const askAll = Effect.fnUntraced(function* (wallets: ReadonlyArray<Wallet>) {
  const { connected } = yield* Chains
  const byChain = Map.groupBy(wallets, ({ chainId }) => chainId)
  const answers = yield* Effect.forEach(
    byChain,
    ([chainId, on]): Effect.Effect<
      Survey | string,
      never,
      Holdings | TokenSettings | YieldPositions | YieldSettings
    > => {
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
const priced = Effect.fnUntraced(function* (
  balances: ReadonlyArray<Balance>,
  deposits: ReadonlyArray<Balance>
) {
  const priceByKey = new Map<string, Holding.Holding["price"]>()
  const wanted = new Map<string, TokenId>()
  for (const { token } of [...balances, ...deposits]) {
    if (token.isUsdc) priceByKey.set(keyOf(token), parity)
    else wanted.set(keyOf(token), token)
  }
  const quotes = yield* (yield* AgreedPrices).shown([...wanted.values()])
  for (const [at, key] of [...wanted.keys()].entries()) priceByKey.set(key, quotes.prices[at])
  const valued = ({ balance, token, wallet }: Balance): WalletHolding => ({
    wallet,
    holding: Holding.ofToken(token, balance, priceByKey.get(keyOf(token)))
  })
  const [held, deposited] = [balances.map(valued), deposits.map(valued)]
  return { held, deposited, pricesAsOf: oldest(quotes.prices), stale: quotes.stale }
})

/** Everything these wallets hold, in no order. Never inside a transaction: it waits for others. */
export const read = Effect.fnUntraced(function* (wallets: ReadonlyArray<Wallet>) {
  const { told, unavailable } = yield* askAll(wallets)
  const { deposited, held, pricesAsOf, stale } = yield* priced(
    told.flatMap(({ balances }) => balances),
    told.flatMap(({ deposits }) => deposits)
  )
  return {
    held: [...held, ...told.flatMap(({ spam }) => spam)],
    deposited,
    wallets: told.flatMap((each) => each.wallets),
    unavailable,
    pricesAsOf,
    stale: stale || unavailable.length > 0 || told.some(({ isWhole }) => !isWhole)
  } satisfies Reading
})
