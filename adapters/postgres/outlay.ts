/**
 * The ledger of outlay on SQL. Charges of a chain and a day pass one by one through the lock of the installation's
 * sum, each judged by sums that nobody can add to before it ends.
 */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { charge as judge } from "../../core/policy/outlay.ts"
import { Outlay } from "../../core/policy/outlay-ledger.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

/** No account has this id; its sum is the installation's. */
const everybody = ""

interface Sum {
  readonly account_id: string
  readonly units: string
}

export const layer = Layer.effect(
  Outlay,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const used: Outlay["Service"]["used"] = (chainId, day, accountId) =>
      Effect.map(
        Answer.all(
          sql<Sum>`select account_id, units::text as units from outlay_sum
            where chain_id = ${chainId} and day = ${day}
              and account_id in (${everybody}, ${accountId ?? everybody})`,
          (row) => row
        ),
        (sums) => {
          const unitsOf = (id: string) =>
            BigInt(sums.find(({ account_id }) => account_id === id)?.units ?? 0)
          return {
            accountUnits: accountId === null ? 0n : unitsOf(accountId),
            installationUnits: unitsOf(everybody)
          }
        }
      )

    const add = (chainId: string, day: string, id: string, units: bigint) =>
      Answer.done(sql`
        insert into outlay_sum as was (chain_id, day, account_id, units)
        values (${chainId}, ${day}, ${id}, ${String(units)}::numeric)
        on conflict (chain_id, day, account_id) do update set units = was.units + excluded.units`)

    return {
      used,
      chargedAt: (chainId, key, days) =>
        Answer.first(
          sql<{ at: Date }>`select at from outlay
            where chain_id = ${chainId} and key = ${key} and ${sql.in("day", days)}
            order by day desc limit 1`,
          (row) => DateTime.fromDateUnsafe(row.at)
        ),
      charge: ({ accountId, at, chainId, day, key, units }, limits) => {
        // Statement by statement: each must see what was committed while the lock was waited for.
        const reserving = Effect.gen(function* () {
          yield* add(chainId, day, everybody, 0n)
          const before = yield* Answer.first(
            sql<{ units: string }>`select units::text as units from outlay
              where chain_id = ${chainId} and day = ${day} and key = ${key}`,
            (row) => BigInt(row.units)
          )
          const sums = yield* used(chainId, day, accountId)
          const { charged, more } = judge({ before, units }, limits, sums)
          if (more === 0n) return charged
          yield* Answer.done(sql`
            insert into outlay (chain_id, day, key, account_id, units, at)
            values (${chainId}, ${day}, ${key}, ${accountId}, ${String(units)}::numeric,
              ${Column.date(at)})
            on conflict (chain_id, day, key) do update set units = excluded.units`)
          yield* add(chainId, day, everybody, more)
          if (accountId !== null) yield* add(chainId, day, accountId, more)
          return charged
        })
        return Effect.orDie(sql.withTransaction(reserving))
      }
    }
  })
)
