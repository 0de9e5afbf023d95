/**
 * The store of settled balances on SQL. The newer block wins, whoever writes it; what is copied for vaults that expect
 * money may be older, as any block at which a vault was explained is good to go on from.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { SettledBalances, slack, type Watched } from "../../core/payments/settled-balance-store.ts"
import { payableStatuses } from "../../core/payments/status.ts"
import type { RecordedTransfer } from "../../core/ports/chains.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import type { Row } from "./table.ts"
import * as Terse from "./terse.ts"

const watchedIn =
  (chainId: string) =>
  (row: Row): Watched => ({
    vaultId: String(row.vault_id),
    address: Address.keyOf(chainId, String(row.address)),
    number: Number(row.settled_number),
    heldMicro: Usdc.make(BigInt(row.held_micro as bigint)),
    ...(row.has_paid === true ? { hasPaid: true as const } : {})
  })

const expectingIn = (chainId: string) => (row: Row) => ({
  ...watchedIn(chainId)(row),
  place: Number(row.place),
  until: Column.instant(row.expects_until as Date)
})

const transferIn = (chainId: string, row: Row): RecordedTransfer => ({
  txHash: Address.transactionKeyOf(chainId, Terse.decode(row.tx_hash as Uint8Array)),
  logIndex: Number(row.log_index),
  blockNumber: Number(row.block_number),
  amountMicro: Usdc.make(BigInt(row.amount_micro as bigint)),
  to: Address.keyOf(chainId, String(row.address))
})

/** What is followed: rows of transfers of every state, and whether there was room for all that are seen and final. */
const followedIn =
  (chainId: string, aboveBlock: number, max: number) => (rows: ReadonlyArray<Row>) => {
    const of = (state: string) =>
      rows
        .filter((row) => row.state === state)
        .map((row) => transferIn(chainId, row))
        .toSorted((one, other) => one.blockNumber - other.blockNumber)
    const [seen, final] = [of("seen"), of("final")]
    const oldestSeen = seen[0]?.blockNumber ?? Number.MAX_SAFE_INTEGER
    const [oldestFinal] = final
    const isCut = final.length === max && oldestFinal !== undefined
    const last = seen.at(-1)
    return {
      transfers: [...seen, ...final].toSorted((one, other) => one.blockNumber - other.blockNumber),
      vaults: [
        ...new Map(
          rows.map((row) => [String(row.vault_id), watchedIn(chainId)(row)] as const)
        ).values()
      ],
      above: isCut ? oldestFinal.blockNumber : Math.min(aboveBlock, oldestSeen - 1),
      ...(seen.length >= max && last !== undefined ? { seenThrough: last.blockNumber } : {})
    }
  }

export const layer = Layer.effect(
  SettledBalances,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const expectingRows = (rest: Fragment) => sql<Row>`
      select vault_id, address, block_number as settled_number, held_micro, place, expects_until
      from expecting_vault where ${rest}`
    return {
      page: (chainId, after, max) =>
        Answer.all(
          sql<Row>`select vault_id, address, block_number as settled_number, held_micro,
              paid_through > block_number as has_paid
            from settled_balance where chain_id = ${chainId}
              and ${after === null ? sql`true` : sql`vault_id > ${Column.soughtUuid(after)}`}
            order by vault_id limit ${max}`,
          watchedIn(chainId)
        ),

      expecting: (chainId, afterPlace, max) =>
        Answer.all(
          expectingRows(sql`chain_id = ${chainId} and place > ${afterPlace}
            order by place limit ${max}`),
          expectingIn(chainId)
        ),

      newlyExpecting: (chainId, max) =>
        Answer.all(
          expectingRows(sql`chain_id = ${chainId} order by place desc limit ${max}`),
          expectingIn(chainId)
        ),

      followed: (chainId, aboveBlock, max) =>
        Effect.map(
          Answer.all(
            sql<Row>`
              with seen as (
                select * from transfer where chain_id = ${chainId} and state = 'seen'
                order by block_number fetch first ${sql.literal(String(max))} rows with ties
              ), final as (
                select * from transfer where chain_id = ${chainId} and state = 'final'
                  and block_number > least(${aboveBlock}::bigint, (select min(block_number) - 1 from seen))
                order by block_number desc limit ${max}
              ), dropped as (
                select * from transfer where chain_id = ${chainId} and state = 'reorged'
                  and block_number > ${aboveBlock}
                order by block_number desc limit ${max}
              )
              select t.state, t.tx_hash, t.log_index, t.block_number, t.amount_micro,
                s.vault_id, s.address, s.block_number as settled_number, s.held_micro,
                s.paid_through > s.block_number as has_paid
              from (select * from seen union all select * from final union all select * from dropped) t
              -- By its key for each, which a join would do for few rows only.
              cross join lateral (
                select * from settled_balance s
                where s.chain_id = t.chain_id and s.vault_id = t.vault_id limit 1
              ) s`,
            (row) => row
          ),
          followedIn(chainId, aboveBlock, max)
        ),

      expect: ({ chainId, id }, until) =>
        Effect.asVoid(
          Answer.any(sql`
            with renewed as (
              update expecting_vault set place = default,
                expects_until = greatest(expects_until, ${Column.date(until)}::timestamptz)
              where vault_id = (
                select vault_id from expecting_vault where vault_id = ${Column.soughtUuid(id)}
                for no key update skip locked
              ) returning 1
            )
            insert into expecting_vault
              (vault_id, chain_id, address, block_number, held_micro, expects_until)
            select vault_id, chain_id, address, block_number, held_micro,
              ${Column.date(until)}::timestamptz
            from settled_balance
            where chain_id = ${chainId} and vault_id = ${Column.soughtUuid(id)}
              and not exists (select from renewed)
            on conflict do nothing
            returning 1`)
        ),

      forget: (chainId, { from, to }, expectedUntil) =>
        Effect.asVoid(
          Answer.count(sql`
            delete from expecting_vault where chain_id = ${chainId}
              and place between ${from} and ${to}
              and expects_until < ${Column.date(expectedUntil)}::timestamptz
            returning 1`)
        ),

      hasPaid: ({ chainId, id }) =>
        Effect.asVoid(
          Answer.any(sql`
            update settled_balance set paid_through = greatest(paid_through, (
              select head from chain_cursor where chain_id = ${chainId}
            ) + ${slack})
            where chain_id = ${chainId} and vault_id = ${Column.soughtUuid(id)}
            returning 1`)
        ),

      settle: (chainId, balances, expectedUntil) =>
        balances.length === 0
          ? Effect.void
          : Effect.asVoid(
              Answer.any(sql`
                with said as (
                  select w.id, said.number, said.held
                  from unnest(
                    ${balances.map(({ address }) => address)}::text[],
                    ${balances.map(({ number }) => number)}::bigint[],
                    ${balances.map(({ heldMicro }) => heldMicro.toString())}::bigint[]
                  ) as said (address, number, held)
                  join wallet w on w.chain_id = ${chainId}
                    and address_key(w.chain_id, w.address) = said.address
                ), copied as (
                  update expecting_vault e set block_number = said.number, held_micro = said.held,
                    expects_until = case when exists (
                      select from payment_request r where r.vault_id = e.vault_id
                        and r.status <> 'paid' and r.status = any(${payableStatuses}::text[])
                    ) then e.expects_until
                      else least(e.expects_until, ${Column.date(expectedUntil)}::timestamptz) end
                  from said where e.vault_id = said.id and e.block_number < said.number
                  returning 1
                )
                update settled_balance s set block_number = said.number, held_micro = said.held
                from said where s.chain_id = ${chainId} and s.vault_id = said.id
                  and s.block_number < said.number
                returning 1`)
            )
    }
  })
)
