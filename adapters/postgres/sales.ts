/**
 * The ledger of sales on SQL. Sales of an account pass one by one through the lock of its row, each judged by a sum
 * that nobody can add to before it ends; a unique index lets one sale of a wallet's token be open.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { AddressKey } from "../../core/chains/address.ts"
import type { TokenAmount, TokenId } from "../../core/chains/token-amount.ts"
import * as Usd from "../../core/money/usd.ts"
import { fits, type Opened, type Sale } from "../../core/sales/sale.ts"
import { type ClosedDay, Sales } from "../../core/sales/sale-store.ts"
import * as Answer from "./answer.ts"
import * as Defect from "./defect.ts"
import { gatheredAll } from "./gathered.ts"
import * as Ledgers from "./ledgers.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import { bigint, table, text, timestamp, units, uuid } from "./table.ts"

/** A sale as its row has it. */
interface Row extends Omit<Sale, "amount"> {
  readonly chainId: string
  readonly tokenAddress: string
  readonly units: bigint
}

const saleTable = table<Row>(
  "sale",
  {
    proposalId: uuid,
    accountId: uuid,
    walletId: uuid,
    chainId: text,
    tokenAddress: text,
    units,
    worthMicro: bigint,
    day: text,
    state: text,
    openedAt: timestamp
  },
  ["proposalId"]
)

const closedTable = table<ClosedDay>("sale_day_closed", { accountId: uuid, day: text }, [
  "accountId",
  "day"
])

const rowOf = ({ amount, ...sale }: Sale): Row => ({
  ...sale,
  chainId: amount.token.chainId,
  tokenAddress: amount.token.address ?? "",
  units: amount.units
})

const saleOf = ({ chainId, tokenAddress, units: sold, ...row }: Row): Sale => {
  const token: TokenId = { chainId, address: tokenAddress as AddressKey }
  const amount: TokenAmount = { token, units: sold }
  return { ...row, amount }
}

export const layer = Layer.effect(
  Sales,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const sales = Rows.rows(sql, saleTable)
    const closed = Rows.rows(sql, closedTable)
    const isClosed = ({ accountId, day }: ClosedDay) =>
      Effect.map(closed.first({ accountId, day }), (found) => found !== undefined)
    const used = (accountId: string, day: string) =>
      Answer.only(
        sql<{ used: string }>`
          select coalesce(sum(worth_micro), 0)::text as used from sale
          where account_id = ${accountId} and day = ${day} and state <> 'released'`,
        (row) => Usd.make(BigInt(row.used))
      )
    // Statement by statement: each must see what was committed while the lock was waited for.
    const opening = Effect.fnUntraced(function* (
      sale: Omit<Sale, "state">,
      capMicro: Usd.Usd
    ): Effect.fn.Return<Opened> {
      const { accountId, amount, day, proposalId, walletId, worthMicro } = sale
      yield* Ledgers.take(sql, accountId)
      if ((yield* sales.first({ proposalId })) !== undefined) return { _tag: "opened" }
      const tokenAddress = amount.token.address ?? ""
      const other = yield* sales.first({ walletId, tokenAddress, state: "open" })
      if (other !== undefined) return { _tag: "busy", proposalId: other.proposalId }
      const cap = { capMicro, usedMicro: yield* used(accountId, day) }
      const isOver = !fits(cap, worthMicro) && !(yield* isClosed({ accountId, day }))
      if (isOver) return { _tag: "over", cap }
      yield* sales.insert(rowOf({ ...sale, state: "open" }))
      return { _tag: "opened" }
    })
    const openOf = gatheredAll<Row>(
      sql,
      ({ walletId }) => walletId,
      (walletIds) => sales.all(sql`wallet_id ${OneOf.uuids(sql, walletIds)} and state = 'open'`)
    )
    const end = (proposalId: string, state: Sale["state"]) =>
      Effect.asVoid(sales.updateAll({ proposalId, state: "open" }, { state }))
    return {
      open: (sale, capMicro) => Defect.orDie(sql.withTransaction(opening(sale, capMicro))),
      settle: (proposalId) => end(proposalId, "left"),
      release: (proposalId) => end(proposalId, "released"),
      find: (proposalId) =>
        Effect.map(sales.first({ proposalId }), (row) =>
          row === undefined ? undefined : saleOf(row)
        ),
      heldOf: (walletId) =>
        Effect.map(openOf(walletId), (rows) =>
          rows.map((row) => ({
            proposalId: row.proposalId,
            token: row.tokenAddress as AddressKey,
            units: row.units
          }))
        ),
      used,
      leftSince: (accountIds, day) =>
        Effect.map(
          sales.all(
            sql`account_id = any(${accountIds}::uuid[]) and day >= ${day} and state = 'left'`
          ),
          (rows) => rows.map(saleOf)
        ),
      openOn: (days) =>
        Answer.all(
          sql<{ accountId: string; day: string }>`
            select distinct account_id as "accountId", day from sale
            where state = 'open' and (account_id, day) in (
              select * from unnest(
                ${days.map(({ accountId }) => accountId)}::uuid[], ${days.map(({ day }) => day)}::text[]
              )
            )`,
          ({ accountId, day }): ClosedDay => ({ accountId, day })
        ),
      close: (days) =>
        Effect.forEach(days, (each) => closed.insertNew(each, sql`(account_id, day)`), {
          discard: true
        }),
      isClosed
    }
  })
)
