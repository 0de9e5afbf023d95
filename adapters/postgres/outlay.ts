/**
 * The ledger of outlay on SQL. Charges are judged by sums that others may add to meanwhile; the database moves the sums
 * with what is written, and undoes a transaction whose charge would pass a cap, which is then begun again.
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

/** What an account and everybody have used of a chain's coin in a day, if anything; by all three in one text. */
interface Used {
  readonly place: string
  readonly own: string | null
  readonly all_units: string
}

type Judged = readonly [charge: Charge, limits: OutlayLimits]

type Asked<R> = ReadonlyArray<readonly [Charge, Effect.Effect<OutlayLimits, never, R>]>

/** The sums of a chain and a day, by account. */
const sumsOf = (
  sql: SqlClient.SqlClient,
  { chainId, day }: Pick<Charge, "chainId" | "day">,
  accountIds: ReadonlyArray<string>
) =>
  Effect.map(
    Answer.all(
      sql<{ readonly account_id: string; readonly units: string }>`
        select account_id::text as account_id, units::text as units from outlay_sum
        where account_id ${OneOf.uuids(sql, accountIds)} and day = ${day} and chain_id = ${chainId}
        union all select ${everybody}, coalesce(sum(units), 0)::text from outlay_share
        where chain_id = ${chainId} and day = ${day}`,
      ({ account_id, units }) => [account_id, BigInt(units)] as const
    ),
    (sums) => new Map(sums)
  )

/** Judges each by the sums as those before it leave them. Gives what is to be written, too. */
const judged = (
  charges: ReadonlyArray<Judged>,
  before: ReadonlyMap<string, bigint>,
  sums: Map<string, bigint>
) => {
  const written = new Map<string, Judged>()
  const verdicts = charges.map(([charge, limits]): Charged => {
    const { accountId, key, units } = charge
    if (units < 0n) throw new Error("outlay: units are not below zero")
    const earlier = written.get(key)?.[0].units ?? before.get(key)
    const used = {
      accountUnits: accountId === null ? 0n : (sums.get(accountId) ?? 0n),
      installationUnits: sums.get(everybody) ?? 0n
    }
    const { charged, more } = judge({ before: earlier, units }, limits, used)
    if (more === 0n) return charged
    written.set(key, [charge, limits])
    for (const id of accountId === null ? [everybody] : [everybody, accountId]) {
      sums.set(id, (sums.get(id) ?? 0n) + more)
    }
    return charged
  })
  return { verdicts, written: [...written.values()] }
}

/** Whoever charges several accounts takes their sums in one order. */
const byAccount = ([one]: Judged, [other]: Judged): number =>
  (one.accountId ?? everybody) < (other.accountId ?? everybody) ? -1 : 1

/** The client writes no list of nulls alone. */
const textOf = (units: bigint | null): string => (units === null ? "" : String(units))

export const layer = Layer.effect(
  Outlay,
  Effect.map(SqlClient.SqlClient, (sql) => {
    // Only ever raised, also where two charge the same at once; a cap of another account bounds nothing.
    const write = (charges: ReadonlyArray<Judged>) =>
      Answer.done(sql`
        insert into outlay as was (
          -- Never beside a write to relayer_sequence: whoever has a place there waits for nothing else.
          chain_id, day, key, account_id, units, account_cap_units, installation_cap_units, at)
        select chain_id, day, key, nullif(account_id, ${everybody})::uuid, units,
          nullif(account_cap_units, '')::numeric, nullif(installation_cap_units, '')::numeric, at
        from unnest(${charges.map(([{ chainId }]) => chainId)}::text[],
          ${charges.map(([{ day }]) => day)}::text[], ${charges.map(([{ key }]) => key)}::text[],
          ${charges.map(([{ accountId }]) => accountId ?? everybody)}::text[],
          ${charges.map(([{ units }]) => String(units))}::numeric[],
          ${charges.map(([, { accountUnits }]) => textOf(accountUnits))}::text[],
          ${charges.map(([, { installationUnits }]) => textOf(installationUnits))}::text[],
          ${charges.map(([{ at }]) => Column.date(at))}::timestamptz[]) as charge (chain_id, day, key,
            account_id, units, account_cap_units, installation_cap_units, at)
        on conflict (chain_id, day, key) do update set units = excluded.units,
          account_cap_units = case when was.account_id is not distinct from excluded.account_id
            then excluded.account_cap_units end,
          installation_cap_units = excluded.installation_cap_units
        where was.units < excluded.units`)

    const charging = Effect.fnUntraced(function* <R>(asked: Asked<R>, first: Charge) {
      const keys = asked.map(([{ key }]) => key)
      const ids = asked.flatMap(([{ accountId }]) => accountId ?? [])
      const earlier = Answer.all(
        sql<{ key: string; units: string }>`select key, units::text as units from outlay
          where chain_id = ${first.chainId} and day = ${first.day} and key ${OneOf.texts(sql, keys)}`,
        ({ key, units }) => [key, BigInt(units)] as const
      )
      const [before, sums, charges] = yield* askTogether([
        earlier,
        sumsOf(sql, first, ids),
        readLimits(asked)
      ])
      const { verdicts, written } = judged(charges, new Map(before), sums)
      if (written.length > 0) yield* write(written.toSorted(byAccount))
      return verdicts
    })

    const sums = gathered<Used>(
      sql,
      ({ place }) => place,
      (places) =>
        Answer.all(
          sql<Used>`
            select key as place, (
              select units::text from outlay_sum
              where account_id = nullif(split_part(key, ' ', 3), ${everybody})::uuid
                and day = split_part(key, ' ', 2) and chain_id = split_part(key, ' ', 1)
            ) as own, (
              select coalesce(sum(units), 0)::text from outlay_share
              where chain_id = split_part(key, ' ', 1) and day = split_part(key, ' ', 2)
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
            where account_id ${OneOf.uuids(sql, [accountId])} and day between ${firstDay} and ${lastDay} and units > 0
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
