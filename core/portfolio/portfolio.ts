/**
 * The operation that sums up all an account holds. Totals are of verified tokens alone; a chain that is
 * away is left out and named, and the answer says that it is not the whole.
 */
import { Effect, Schema } from "effect"
import { Caller } from "../caller.ts"
import * as Instant from "../instant.ts"
import * as Usdc from "../money/usdc.ts"
import * as Operation from "../operation.ts"
import type * as Page from "../page.ts"
import { Chains } from "../ports/chains.ts"
import { Wallets } from "../ports/wallets.ts"
import { UpstreamUnavailable } from "../refusal.ts"
import type { Wallet } from "../wallets/wallet.ts"
import * as Holding from "./holding.ts"
import { type Held, read } from "./read.ts"
import { changeOf, sum } from "./value.ts"

const walletsPerPage = 500

/** All wallets of the account, vaults too, newest first. */
const allWallets = Effect.fnUntraced(function* () {
  const { accountId } = yield* Caller
  const book = yield* Wallets
  const wallets: Array<Wallet> = []
  let after: Page.Position | undefined
  do {
    const request = { limit: walletsPerPage, ...(after === undefined ? {} : { after }) }
    const page = yield* book.list(accountId, {}, request)
    wallets.push(...page.rows)
    after = page.next
  } while (after !== undefined)
  return wallets
})

const tokenOf = ({ holding }: Held): string => `${holding.chainId} ${holding.tokenAddress}`

/** One holding for all wallets' of a token; its value is the sum of theirs. */
const summed = (held: ReadonlyArray<Held>): ReadonlyArray<Holding.Holding> =>
  Array.from(Map.groupBy(held, tokenOf).values()).flatMap((group) => {
    const [first] = group.map(({ holding }) => holding)
    if (first === undefined) return []
    const balance = sum(group.map(({ holding }) => holding.balance))
    const valueMicro =
      first.valueMicro === undefined
        ? undefined
        : sum(group.map(({ holding }) => holding.valueMicro ?? 0n))
    return [{ ...first, balance, valueMicro }]
  })

const usdOf = (held: ReadonlyArray<Held>): string =>
  Usdc.format(sum(held.map(({ holding }) => holding.valueMicro ?? 0n)))

const WalletRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  address: Schema.String,
  chain: Schema.String,
  chainId: Schema.String,
  balanceUsd: Holding.Usd
})

const rowsOf = (wallets: ReadonlyArray<Wallet>, held: ReadonlyArray<Held>) => {
  const byWallet = Map.groupBy(held, ({ wallet }) => wallet.id)
  return wallets.map((wallet) => ({
    ...wallet,
    chain: wallet.chainId,
    balanceUsd: usdOf(byWallet.get(wallet.id) ?? [])
  }))
}

export const getPortfolio = Operation.make("get_portfolio", {
  summary: "Sums up what all wallets hold: totals in USD, each wallet's value, and each token.",
  next: "get_holdings shows one wallet in detail; unavailableChains are missing from every total.",
  scope: "balances:read",
  input: {},
  output: {
    totalUsd: Holding.Usd.annotate({
      description: "The verified tokens of all wallets that could be read, in USD."
    }),
    netWorthUsd: Holding.Usd.annotate({
      description: "totalUsd and whatever else the account owns, in USD."
    }),
    change24hPct: Holding.Change,
    wallets: Schema.Array(WalletRow),
    tokens: Schema.Array(Schema.Struct(Holding.fields)),
    pricesAsOf: Schema.NullOr(Instant.Shown),
    stale: Schema.Boolean.annotate({
      description: "Something is old or missing because a chain or the market did not answer."
    }),
    hiddenSpamCount: Schema.Int,
    unavailableChains: Schema.Array(Schema.String).annotate({
      description: "Chains that did not answer; their wallets are left out."
    })
  },
  refusals: [UpstreamUnavailable],
  run: Effect.fnUntraced(function* () {
    const all = yield* allWallets()
    const { held, wallets, unavailable, pricesAsOf, stale } = yield* read(all)
    if (unavailable.length > 0 && wallets.length === 0) {
      return yield* new UpstreamUnavailable({
        message: "No chain of the account's wallets answers; ask again shortly.",
        details: { unavailableChains: unavailable }
      })
    }
    const { addressOf } = yield* Chains
    const verified = held.filter(({ holding }) => !holding.isSpam)
    const totalUsd = usdOf(verified)
    return {
      totalUsd,
      netWorthUsd: totalUsd,
      change24hPct: Holding.change(changeOf(verified.map(({ holding }) => Holding.part(holding)))),
      wallets: rowsOf(wallets, verified),
      tokens: summed(verified)
        .toSorted(Holding.inPlace)
        .map((token) => Holding.view(token, (text) => addressOf(token.chainId, text))),
      pricesAsOf: pricesAsOf ?? null,
      stale,
      hiddenSpamCount: new Set(held.filter(({ holding }) => holding.isSpam).map(tokenOf)).size,
      unavailableChains: unavailable
    }
  })
})
