/**
 * The ledger of outlay on SQL. Charges of a chain and a day pass one by one through the lock of the installation's
 * sum, each judged by sums that nobody can add to before it ends.
 */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Charged, charge as judge, type OutlayLimits } from "../../core/policy/outlay.ts"
import { type Charge, Outlay } from "../../core/policy/outlay-ledger.ts"
import { readLimits } from "../../core/policy/read-limits.ts"
import { askTogether } from "../../core/ports/together.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { gathered } from "./gathered.ts"
import { joined } from "./joined.ts"
import * as OneOf from "./one-of.ts"

/** No account has this id; its sum is the installation's. */
const everybody = ""

interface Sum {
  readonly account_id: string
  readonly units: string
}

/** What an account and everybody have used of a chain's coin in a day, if anything; by all three in one text. */
interface Used {
  readonly place: string
  readonly own: string | null
  readonly all_units: string | null
}

type Charges = ReadonlyArray<readonly [charge: Charge, limits: OutlayLimits]>

type Asked<R> = ReadonlyArray<readonly [Charge, Effect.Effect<OutlayLimits, never, R>]>

/** The sums of a chain and a day, by account. */
const sumsOf = (
  sql: SqlClient.SqlClient,
  chainId: string,
  day: string,
  ids: ReadonlyArray<string>
) =>
  Effect.map(
    Answer.all(
      sql<Sum>`select account_id, units::text as units from outlay_sum
        where chain_id = ${chainId} and day = ${day} and account_id = any(${ids}::text[])`,
      ({ account_id, units }) => [account_id, BigInt(units)] as const
    ),
    (sums) => new Map(sums)
  )

/** Judges each by the sums as those before it leave them. Gives what is to be written, too. */
const judged = (
  charges: Charges,
  before: ReadonlyMap<string, bigint>,
  sums: Map<string, bigint>
) => {
  const written = new Map<string, Charge>()
  const added = new Map<string, bigint>()
  const verdicts = charges.map(([charge, limits]): Charged => {
    const { accountId, key, units } = charge
    if (units < 0n) throw new Error("outlay: units are not below zero")
    const earlier = written.get(key)?.units ?? before.get(key)
    const used = {
      accountUnits: accountId === null ? 0n : (sums.get(accountId) ?? 0n),
      installationUnits: sums.get(everybody) ?? 0n
    }
    const { charged, more } = judge({ before: earlier, units }, limits, used)
    if (more === 0n) return charged
    written.set(key, charge)
    for (const id of accountId === null ? [everybody] : [everybody, accountId]) {
      sums.set(id, (sums.get(id) ?? 0n) + more)
      added.set(id, (added.get(id) ?? 0n) + more)
    }
    return charged
  })
  return { verdicts, written: [...written.values()], added: [...added] }
}

export const layer = Layer.effect(
  Outlay,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const add = (chainId: string, day: string, added: ReadonlyArray<readonly [string, bigint]>) =>
      Answer.done(sql`
        insert into outlay_sum as was (chain_id, day, account_id, units)
        select ${chainId}, ${day}, account_id, units
        from unnest(${added.map(([id]) => id)}::text[],
          ${added.map(([, units]) => String(units))}::numeric[]) as more (account_id, units)
        order by account_id
        on conflict (chain_id, day, account_id) do update set units = was.units + excluded.units`)

    const write = (charges: ReadonlyArray<Charge>) =>
      Answer.done(sql`
        insert into outlay (chain_id, day, key, account_id, units, at)
        select chain_id, day, key, nullif(account_id, ${everybody})::uuid, units, at from unnest(${charges.map(({ chainId }) => chainId)}::text[],
          ${charges.map(({ day }) => day)}::text[], ${charges.map(({ key }) => key)}::text[],
          ${charges.map(({ accountId }) => accountId ?? everybody)}::text[],
          ${charges.map(({ units }) => String(units))}::numeric[],
          ${charges.map(({ at }) => Column.date(at))}::timestamptz[]) as charge (chain_id, day, key, account_id, units, at)
        on conflict (chain_id, day, key) do update set units = excluded.units`)

    /** Statement by statement: each must see what was committed while the lock was waited for. */
    const charging = Effect.fnUntraced(function* <R>(asked: Asked<R>, { chainId, day }: Charge) {
      yield* add(chainId, day, [[everybody, 0n]])
      const keys = asked.map(([{ key }]) => key)
      const ids = asked.flatMap(([{ accountId }]) => accountId ?? [])
      const earlier = Answer.all(
        sql<{ key: string; units: string }>`select key, units::text as units from outlay
          where chain_id = ${chainId} and day = ${day} and key ${OneOf.texts(sql, keys)}`,
        ({ key, units }) => [key, BigInt(units)] as const
      )
      const [before, sums, charges] = yield* askTogether([
        earlier,
        sumsOf(sql, chainId, day, [everybody, ...ids]),
        readLimits(asked)
      ])
      const { added, verdicts, written } = judged(charges, new Map(before), sums)
      if (written.length > 0) {
        yield* write(written)
        yield* add(chainId, day, added)
      }
      return verdicts
    })

    const sums = gathered<Used>(
      sql,
      ({ place }) => place,
      (places) =>
        Answer.all(
          sql<Used>`
            select key as place, (
              select units::text from outlay_sum where chain_id = split_part(key, ' ', 1)
                and day = split_part(key, ' ', 2) and account_id = split_part(key, ' ', 3)
            ) as own, (
              select units::text from outlay_sum where chain_id = split_part(key, ' ', 1)
                and day = split_part(key, ' ', 2) and account_id = ${everybody}
            ) as all_units
            from ${OneOf.rows(sql, places)}`,
          (row) => row
        )
    )

    return {
      chargedAt: (chainId, key, days) =>
        Answer.first(
          sql<{ at: Date }>`select at from outlay
            where chain_id = ${chainId} and key = ${key} and ${sql.in("day", days)}
            order by day desc limit 1`,
          (row) => DateTime.fromDateUnsafe(row.at)
        ),
      days: (accountId, firstDay, lastDay) =>
        Answer.all(
          sql<{ chainId: string; day: string; units: string }>`
            select chain_id as "chainId", day, units::text as units from outlay_sum
            where account_id = ${accountId} and day between ${firstDay} and ${lastDay} and units > 0
            order by day, chain_id`,
          ({ units, ...of }) => ({ ...of, units: BigInt(units) })
        ),
      used: (chainId, day, accountId) =>
        Effect.map(sums(`${chainId} ${day} ${accountId ?? everybody}`), (found) => ({
          accountUnits: accountId === null ? 0n : BigInt(found?.own ?? 0),
          installationUnits: BigInt(found?.all_units ?? 0)
        })),
      charge: (charges) => {
        const first = charges[0]?.[0]
        if (first === undefined) return Effect.succeed([])
        return joined(sql, charging(charges, first))
      }
    }
  })
)
