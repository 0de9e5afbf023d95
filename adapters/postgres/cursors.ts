/** Where each chain's watcher stands, on SQL. The guarded update is both the lock and the comparison. */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Cursor, Cursors, type Round } from "../../core/payments/transfer-store.ts"
import type { Block } from "../../core/ports/chains.ts"
import * as Answer from "./answer.ts"
import * as Rows from "./rows.ts"
import { integer, json, table, text, timestamp } from "./table.ts"

/** Number, hash and time in milliseconds of a block. */
type Written = readonly [number, string, number]

/** The vault after which it goes on, the time in milliseconds, and the place among those that expect money. */
type WrittenRound = readonly [string | null, number | null, number]

const cursorTable = table<Cursor>(
  "chain_cursor",
  {
    chainId: text,
    blocks: json(
      (blocks: ReadonlyArray<Block>) =>
        blocks.map(
          ({ number, hash, timestamp }): Written => [
            number,
            hash,
            DateTime.toEpochMillis(timestamp)
          ]
        ),
      (written: ReadonlyArray<Written>): ReadonlyArray<Block> =>
        written.map(([number, hash, milliseconds]) => ({
          number,
          hash,
          timestamp: DateTime.makeUnsafe(milliseconds)
        }))
    ),
    head: integer,
    finalNumber: integer,
    finalTime: timestamp,
    round: json(
      ({ after, expecting, since }: Round): WrittenRound => [
        after,
        since === null ? null : DateTime.toEpochMillis(since),
        expecting
      ],
      ([after, since, expecting]: WrittenRound): Round => ({
        after,
        since: since === null ? null : DateTime.makeUnsafe(since),
        expecting
      })
    )
  },
  ["chainId"]
)

const tipOf = ({ blocks }: Cursor) => blocks.at(-1)?.hash ?? ""

export const layer = Layer.effect(
  Cursors,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const cursors = Rows.rows(sql, cursorTable)
    return {
      all: cursors.all({}, sql` order by chain_id`),

      find: (chainId) => cursors.first({ chainId }),

      start: (cursor) =>
        Answer.any(sql`${cursorTable.insert(cursor, { tip_hash: tipOf(cursor) })}
          on conflict do nothing returning chain_id`),

      // A second mover waits here for the row, and compares with what the first one left.
      move: (fromTipHash, to) =>
        Answer.any(sql`
          update chain_cursor set ${cursorTable.set(to)}, tip_hash = ${tipOf(to)}
          where chain_id = ${to.chainId} and tip_hash = ${fromTipHash}
          returning chain_id`)
    }
  })
)
