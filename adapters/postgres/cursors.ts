/** Where each chain's watcher stands, on SQL. The guarded update is both the lock and the comparison. */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Cursor, Cursors } from "../../core/payments/cursor-store.ts"
import type { Block } from "../../core/ports/chains.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface Row {
  readonly chain_id: string
  /** Number, hash and time in milliseconds of each block. */
  readonly blocks: ReadonlyArray<readonly [number, string, number]>
  readonly head: bigint
  readonly final_number: bigint
  readonly final_time: Date
}

const read = (row: Row): Cursor => ({
  chainId: row.chain_id,
  blocks: row.blocks.map(
    ([number, hash, milliseconds]): Block => ({
      number,
      hash,
      timestamp: DateTime.makeUnsafe(milliseconds)
    })
  ),
  head: Number(row.head),
  finalNumber: Number(row.final_number),
  finalTime: Column.instant(row.final_time)
})

const blocksOf = ({ blocks }: Cursor) =>
  Column.json(
    blocks.map(({ number, hash, timestamp }) => [number, hash, DateTime.toEpochMillis(timestamp)])
  )

const tipOf = ({ blocks }: Cursor) => blocks.at(-1)?.hash ?? ""

export const layer = Layer.effect(
  Cursors,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    all: Answer.all(sql<Row>`select * from chain_cursor order by chain_id`, read),

    find: (chainId) =>
      Answer.first(sql<Row>`select * from chain_cursor where chain_id = ${chainId}`, read),

    start: (cursor) =>
      Answer.any(sql`
        insert into chain_cursor (chain_id, tip_hash, blocks, head, final_number, final_time)
        values (${cursor.chainId}, ${tipOf(cursor)}, ${blocksOf(cursor)}, ${cursor.head},
          ${cursor.finalNumber}, ${Column.date(cursor.finalTime)})
        on conflict do nothing
        returning chain_id`),

    // A second mover waits here for the row, and compares with what the first one left.
    move: (fromTipHash, to) =>
      Answer.any(sql`
        update chain_cursor set tip_hash = ${tipOf(to)}, blocks = ${blocksOf(to)}, head = ${to.head},
          final_number = ${to.finalNumber}, final_time = ${Column.date(to.finalTime)}
        where chain_id = ${to.chainId} and tip_hash = ${fromTipHash}
        returning chain_id`)
  }))
)
