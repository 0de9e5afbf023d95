/** The operation that lists what one wallet holds, a page at a time: the coin, USDC, what is verified, then spam. */

import { Effect, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Usd from "../money/usd.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { NotFound, UpstreamUnavailable } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as Holding from "./holding.ts"
import { read } from "./read.ts"
import { changeOf } from "./value.ts"

const walletOf = (walletId: string) =>
  findOwn({ param: "walletId", what: "wallet", operation: "list_wallets" }, (accountId) =>
    Wallets.use(({ find }) => find(accountId, walletId))
  )

/** Holdings have no time of their own, so a cursor is the place of the last one shown. */
const pageOf = (
  holdings: ReadonlyArray<Holding.Holding>,
  { limit = 20, cursor = "" }: { readonly limit?: number; readonly cursor?: string }
) => {
  const rest = holdings.filter((holding) => Holding.sortKeyOf(holding) > cursor)
  const rows = rest.slice(0, limit)
  const last = rows.at(-1)
  const hasMore = rest.length > rows.length
  return {
    rows,
    hasMore,
    nextCursor: hasMore && last !== undefined ? Holding.sortKeyOf(last) : null
  }
}

export const getHoldings = Operation.make("get_holdings", {
  summary:
    "Lists the tokens of one wallet with USD values and the change over 24 hours; unverified tokens only on request.",
  next: "get_portfolio sums all wallets; propose_transfer sends USDC from this one.",
  scope: "balances:read",
  input: {
    walletId: Id("The wallet's id, from list_wallets."),
    includeSpam: Schema.optionalKey(
      Schema.Boolean.annotate({
        description: "Also lists unverified tokens, last. They never count in totals.",
        default: false
      })
    ),
    ...Page.input
  },
  output: {
    walletId: Schema.String,
    totalUsd: Holding.UsdText,
    change24hPct: Holding.Change,
    holdings: Schema.Array(Schema.Struct(Holding.fields)),
    pricesAsOf: Schema.NullOr(Timestamp.Encoded),
    stale: Schema.Boolean.annotate({
      description:
        "Something is outdated or missing because a chain or a source of prices did not respond, or because two sources of prices contradict each other."
    }),
    hiddenSpamCount: Schema.Int,
    ...Page.output
  },
  refusals: [NotFound, UpstreamUnavailable],
  example: { input: { walletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e" } },
  handle: Effect.fnUntraced(function* (input) {
    const wallet = yield* walletOf(input.walletId)
    const { held, unavailable, pricesAsOf, stale } = yield* read([wallet])
    if (unavailable.length > 0) {
      return yield* new UpstreamUnavailable({
        message: `The chain ${wallet.chainId} does not respond; try again shortly.`,
        details: { chainId: wallet.chainId }
      })
    }
    const all = held.map(({ holding }) => holding).sort(Holding.inPlace)
    const listed = all.filter(({ isSpam }) => !isSpam || input.includeSpam === true)
    const parts = all.map(Holding.part)
    const { rows, ...page } = pageOf(listed, input)
    return {
      walletId: wallet.id,
      totalUsd: Usd.format(Usd.sum(parts.map(({ valueMicro }) => valueMicro))),
      change24hPct: Holding.change(changeOf(parts)),
      holdings: rows.map(Holding.view),
      pricesAsOf: pricesAsOf ?? null,
      stale,
      hiddenSpamCount: all.length - listed.length,
      ...page
    }
  })
})
