/** The store of how far fills were read, on SQL. The later block wins, whoever writes it. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SeenFills as Seen } from "../../core/ports/swap-venue.ts"
import { SeenFills } from "../../core/swaps/seen-fills-store.ts"
import * as Answer from "./answer.ts"
import type { Row } from "./table.ts"

const seenIn = ({ block_hash, block_number, from_block, unrecorded }: Row): Seen => ({
  from: Number(from_block),
  through: { number: Number(block_number), hash: String(block_hash) },
  unrecorded: unrecorded as Seen["unrecorded"]
})

export const layer = Layer.effect(
  SeenFills,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    find: (chainId, owner) =>
      Effect.map(
        Answer.all(
          sql<Row>`select from_block, block_number, block_hash, unrecorded from seen_fill
            where chain_id = ${chainId} and address = ${owner}`,
          seenIn
        ),
        ([seen]) => seen
      ),

    keep: (chainId, owner, { from, through, unrecorded }) =>
      Effect.asVoid(
        Answer.any(sql`
          insert into seen_fill (chain_id, address, from_block, block_number, block_hash, unrecorded)
          values (${chainId}, ${owner}, ${from}, ${through.number}, ${through.hash},
            ${JSON.stringify(unrecorded)}::jsonb)
          on conflict (chain_id, address) do update
            set from_block = excluded.from_block, block_number = excluded.block_number,
              block_hash = excluded.block_hash, unrecorded = excluded.unrecorded
            where seen_fill.block_number < excluded.block_number
          returning address`)
      )
  }))
)
