/** The store of settled balances on SQL. The newer block wins, whoever writes it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { SettledBalances } from "../../core/payments/settled-balance-store.ts"
import * as Answer from "./answer.ts"
import type { Row } from "./table.ts"
import * as Terse from "./terse.ts"

export const layer = Layer.effect(
  SettledBalances,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ofVaults: (chainId: string) =>
      Answer.all(
        sql<Row>`select w.address, coalesce(s.block_number, 0) as block_number,
            coalesce(s.held_micro, 0) as held_micro
          from wallet w left join settled_balance s
            on s.chain_id = w.chain_id and s.address = address_key(w.chain_id, w.address)
          where w.chain_id = ${chainId} and w.kind = 'collection'
          order by w.created_at, w.id`,
        (row) => ({
          address: Address.keyOf(chainId, String(row.address)),
          number: Number(row.block_number),
          heldMicro: Usdc.make(BigInt(row.held_micro as bigint))
        })
      ),

    recorded: (chainId: string, aboveBlock: number) =>
      Answer.all(
        sql<Row>`select t.tx_hash, t.log_index, t.block_number, t.amount_micro, w.address
          from transfer t join wallet w on w.account_id = t.account_id and w.id = t.vault_id
          where t.chain_id = ${chainId} and (t.state = 'seen'
              or (t.state = 'final' and t.block_number > ${aboveBlock}))
          order by t.block_number`,
        (row) => ({
          txHash: Address.transactionKeyOf(chainId, Terse.decode(row.tx_hash as Uint8Array)),
          logIndex: Number(row.log_index),
          blockNumber: Number(row.block_number),
          amountMicro: Usdc.make(BigInt(row.amount_micro as bigint)),
          to: Address.keyOf(chainId, String(row.address))
        })
      ),

    settle: (chainId, balances) =>
      balances.length === 0
        ? Effect.void
        : Effect.asVoid(
            Answer.any(sql`
              insert into settled_balance (chain_id, address, block_number, held_micro)
              select ${chainId}, * from unnest(
                ${balances.map(({ address }) => address)}::text[],
                ${balances.map(({ number }) => number)}::bigint[],
                ${balances.map(({ heldMicro }) => heldMicro.toString())}::bigint[]
              )
              on conflict (chain_id, address) do update
                set block_number = excluded.block_number, held_micro = excluded.held_micro
                where settled_balance.block_number < excluded.block_number
              returning address`)
          )
  }))
)
