/** The store of quotes on SQL. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fee, Quote } from "../../core/quotes/quote.ts"
import { Quotes } from "../../core/quotes/quote-store.ts"
import * as Column from "./column.ts"
import * as Rows from "./rows.ts"
import { bigint, integer, json, table, text, timestamp, units, uuid } from "./table.ts"

interface WrittenFee extends Omit<Fee, "amount" | "amountUsd"> {
  readonly amount: string
  readonly amountMicro: string | null
}

const fees = json<ReadonlyArray<Fee>>(
  (all): ReadonlyArray<WrittenFee> =>
    all.map(({ amount, amountUsd, kind, symbol }) => ({
      kind,
      symbol,
      amount: String(amount),
      amountMicro: amountUsd === null ? null : String(amountUsd)
    })),
  (written: ReadonlyArray<WrittenFee>) =>
    written.map(({ amount, amountMicro, kind, symbol }) => ({
      kind,
      symbol,
      amount: BigInt(amount),
      amountUsd: amountMicro === null ? null : (BigInt(amountMicro) as Fee["amountUsd"])
    }))
)

const quoteTable = table<Quote>("quote", {
  id: uuid,
  accountId: uuid,
  kind: text,
  protocol: text,
  fromWalletId: uuid,
  toWalletId: uuid,
  sell: json(),
  buy: json(),
  sellAmount: units,
  buyAmount: units,
  minBuyAmount: units,
  slippagePercent: { decode: Number },
  fees,
  priceImpactPct: text,
  amountMicro: bigint,
  worthMicro: bigint,
  valueAtRiskMicro: bigint,
  estimatedSeconds: integer,
  details: json(),
  proposalId: uuid,
  createdAt: timestamp,
  expiresAt: timestamp
})

export const layer = Layer.effect(
  Quotes,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const quotes = Rows.rows(sql, quoteTable)
    return {
      add: (quote) => quotes.insert(quote),
      find: (accountId, id) => quotes.first({ accountId, id }),
      bind: (id, proposalId) => quotes.updateIf({ id, proposalId: null }, { proposalId }),
      forget: (expiredBefore, max) =>
        quotes.forget(sql`expires_at < ${Column.date(expiredBefore)}`, "expiresAt", max)
    }
  })
)
