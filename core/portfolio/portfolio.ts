/**
 * The operation that sums up all an account holds. Totals are of verified tokens alone; a chain that is
 * away is left out and named, and the answer says that it is not the whole. A call reads a page of wallets
 * and no more; the totals of more wallets are kept, with their time.
 */

import { DateTime, Effect, Schema } from "effect"
import { inTransit } from "../bridges/in-transit.ts"
import { Address } from "../chains/address.ts"
import * as Usd from "../money/usd.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as Holding from "./holding.ts"
import { type Reading, read } from "./read.ts"
import { Readings } from "./readings.ts"
import { survey } from "./survey.ts"
import { and, nothing, type Totals } from "./totals.ts"
import { changeOf } from "./value.ts"

/** How many wallets are listed unless asked, and at most. */
const walletsPerPage = 100

const usdOf = (holdings: ReadonlyArray<Holding.Holding>): string =>
  Usd.format(Usd.sum(holdings.map(({ valueMicro }) => valueMicro ?? Usd.zero)))

const WalletRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  address: Address,
  chain: Schema.String,
  chainId: Schema.String,
  balanceUsd: Holding.UsdText
})

const rowsOf = ({ held, wallets }: Reading) => {
  const byWallet = Map.groupBy(held, ({ wallet }) => wallet.id)
  return wallets.map((wallet) => ({
    ...wallet,
    chain: wallet.chainId,
    balanceUsd: usdOf((byWallet.get(wallet.id) ?? []).map(({ holding }) => holding))
  }))
}

/** Some wallets, read for all who ask for them at this moment. */
const readOnce = Effect.fnUntraced(function* (accountId: string, wallets: ReadonlyArray<Wallet>) {
  const { inTurn, share } = yield* Readings
  const [first] = wallets
  const work = Effect.flatMap(DateTime.now, (asOf) =>
    Effect.map(inTurn(accountId, read(wallets)), (reading) => ({ reading, asOf }))
  )
  return yield* share(`${accountId} ${first?.id} ${wallets.length}`, work)
})

export const getPortfolio = Operation.make("get_portfolio", {
  summary: "Sums up all wallets: totals in USD, the value of each wallet, and each token.",
  next: "get_holdings shows one wallet in detail; unavailableChains are missing from every total.",
  scope: "balances:read",
  input: Page.inputOf(walletsPerPage),
  output: {
    totalUsd: Holding.UsdText.annotate({
      description:
        "The USD value of the verified tokens of all wallets that could be read, not only those on this page."
    }),
    netWorthUsd: Holding.UsdText.annotate({
      description: "The USD value of everything the account owns: the sum of netWorthParts."
    }),
    netWorthParts: Schema.Struct({
      holdings: Holding.UsdText.annotate({ description: "What is in the wallets: `totalUsd`." }),
      yieldPositions: Holding.UsdText.annotate({
        description:
          "What the wallets have in verified yield vaults, counted here and nowhere else."
      }),
      inTransit: Holding.UsdText.annotate({
        description:
          "What has left one chain and is not on the other yet, at its worth when it was proposed."
      })
    }).annotate({ description: "What netWorthUsd is made of, each part counted once." }),
    change24hPct: Holding.Change,
    totalsAsOf: Timestamp.Encoded.annotate({
      description:
        "The time of the oldest balance in the totals; now, unless there is more than one page of wallets."
    }),
    totalsComplete: Schema.Boolean.annotate({
      description:
        "false while the totals are computed for the first time; they then cover only the wallets read so far."
    }),
    wallets: Schema.Array(WalletRow).annotate({
      description: "A page of the wallets, newest first, with their current balances."
    }),
    tokens: Schema.Array(Schema.Struct(Holding.fields)),
    pricesAsOf: Schema.NullOr(Timestamp.Encoded),
    stale: Schema.Boolean.annotate({
      description:
        "Something is outdated or missing: a chain or the price source did not respond, or the totals are incomplete or more than a minute old."
    }),
    hiddenSpamCount: Schema.Int,
    unavailableChains: Schema.Array(Schema.String).annotate({
      description: "Chains that did not respond; their wallets are not included."
    }),
    ...Page.output
  },
  refusals: [UpstreamUnavailable],
  handle: Effect.fnUntraced(function* (input) {
    const { accountId } = yield* Caller
    const request = yield* Page.request(input, walletsPerPage)
    const page = yield* (yield* Wallets).list(accountId, {}, request)
    const { asOf, reading } = yield* readOnce(accountId, page.rows)
    if (reading.unavailable.length > 0 && reading.wallets.length === 0) {
      return yield* new UpstreamUnavailable({
        message: "None of these wallets' chains responds; try again shortly.",
        details: { unavailableChains: reading.unavailable }
      })
    }
    const isAll = request.after === undefined && page.next === undefined
    const totals: Totals = isAll
      ? { ...and(nothing(asOf), reading), isComplete: true }
      : yield* survey(accountId)
    const tokens = [...totals.tokens.values()]
    const totalUsd = usdOf(tokens)
    const held = Usd.sum(tokens.map(({ valueMicro }) => valueMicro ?? Usd.zero))
    const deposited = Usd.sum([...totals.deposits.values()])
    const travelling = yield* inTransit(accountId)
    return {
      totalUsd,
      netWorthUsd: Usd.format(Usd.sum([held, deposited, travelling])),
      netWorthParts: {
        holdings: totalUsd,
        yieldPositions: Usd.format(deposited),
        inTransit: Usd.format(travelling)
      },
      change24hPct: Holding.change(changeOf(tokens.map(Holding.part))),
      totalsAsOf: totals.asOf,
      totalsComplete: totals.isComplete,
      wallets: rowsOf(reading),
      tokens: tokens.toSorted(Holding.inPlace).map(Holding.view),
      pricesAsOf: totals.pricesAsOf ?? null,
      stale: totals.stale || reading.stale,
      hiddenSpamCount: totals.spam.size,
      unavailableChains: [...new Set([...totals.unavailable, ...reading.unavailable])].sort(),
      ...Page.answer(page)
    }
  })
})
