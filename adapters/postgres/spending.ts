/**
 * The ledger of caps on SQL. A reservation is judged by the sums of its days, which the database keeps with the ledger and
 * holds to the caps that it was judged by: where others have used them meanwhile, the transaction is begun again.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Usd from "../../core/money/usd.ts"
import {
  type Charged,
  judge,
  judgeKeys,
  judgeRaise,
  type KeyCap,
  type Limits,
  type Revision,
  reserved,
  type Used,
  type Windows,
  without
} from "../../core/policy/limits.ts"
import {
  type Paying,
  type Reservation,
  type ReservedAmount,
  Spending
} from "../../core/policy/spending-ledger.ts"
import { askAhead, askTogether } from "../../core/ports/together.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { gathered } from "./gathered.ts"
import { joined } from "./joined.ts"
import * as Ledgers from "./ledgers.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import { bigint, integer, table, text, timestamp, together, uuid } from "./table.ts"

const revisionTable = table<Revision>(
  "policy_revision",
  {
    accountId: uuid,
    number: integer,
    tier: text,
    perTransferMicro: bigint,
    dailyMicro: bigint,
    monthlyMicro: bigint,
    hardCapMicro: bigint,
    createdAt: timestamp
  },
  ["accountId", "number"]
)

const heldTable = table<{ readonly proposalId: string; readonly held: ReservedAmount }>(
  "spend_reservation",
  {
    proposalId: uuid,
    held: together<ReservedAmount>("", { accountId: uuid, amountMicro: bigint, state: text })
  },
  ["proposalId"]
)

const usedOf = ({ day, month }: { readonly day: string; readonly month: string }): Used => ({
  dayMicro: Usd.make(BigInt(day)),
  monthMicro: Usd.make(BigInt(month))
})

/** What was charged for this very payment, to the same recipient. */
const chargedFor = (
  sql: SqlClient.SqlClient,
  accountId: string,
  { chainId, identity, to }: Paying,
  amountMicro: Usd.Usd
) =>
  Answer.first(
    sql<{ identity: string; day: string; amount: bigint }>`
      select identity, day, amount_micro as amount from spend_charge
      where account_id = ${accountId} and chain_id = ${chainId} and state <> 'released'
        and starts_with(${identity}, identity) and to_key = ${to}
        and amount_micro = ${amountMicro}`,
    ({ amount, day, identity: known }): Charged => ({
      chainId,
      identity: known,
      day,
      amountMicro: Usd.make(amount)
    })
  )

const takeOver = (sql: SqlClient.SqlClient, { chainId, identity }: Charged) =>
  Answer.done(sql`update spend_charge set state = 'released'
    where chain_id = ${chainId} and identity = ${identity}`)

const charging = (sql: SqlClient.SqlClient) => {
  const charge: Spending["Service"]["charge"] = (charges) =>
    Effect.forEach(
      charges,
      ({ accountId, amountMicro, at, chainId, identity, to, windows }) =>
        Answer.done(sql`
          insert into spend_charge (chain_id, identity, account_id, to_key, amount_micro, day,
            state, charged_at)
          values (${chainId}, ${identity}, ${accountId}, ${to}, ${amountMicro}, ${windows.day},
            'consumed', ${Column.date(at)})
          on conflict do nothing`),
      { discard: true }
    )
  return { charge }
}

const reserving = (sql: SqlClient.SqlClient) => {
  // A sum may be wider than any one amount, so it travels as text.
  const used = (accountId: string, { day, month }: Windows): Effect.Effect<Used> =>
    Answer.only(
      sql<{ day: string; month: string }>`
        select coalesce(sum(amount_micro) filter (where day = ${day}), 0)::text as day,
          coalesce(sum(amount_micro), 0)::text as month
        from spend_day
        where account_id = ${accountId} and day between ${`${month}-01`} and ${`${month}-31`}`,
      usedOf
    )

  /** What the windows have used, and whether the proposal is among it already. */
  const usedBeside = (proposalId: string, accountId: string, { day, month }: Windows) =>
    Answer.only(
      sql<{ day: string; month: string; is_held: boolean }>`
        select coalesce(sum(amount_micro) filter (where day = ${day}), 0)::text as day,
          coalesce(sum(amount_micro), 0)::text as month,
          exists (
            select from spend_reservation
            where proposal_id = ${proposalId} and state <> 'released'
          ) as is_held
        from spend_day
        where account_id = ${accountId} and day between ${`${month}-01`} and ${`${month}-31`}`,
      (row) => ({ used: usedOf(row), isHeld: row.is_held })
    )

  const write = (
    { accountId, amountMicro, at, proposalId, windows }: Reservation,
    limits: Limits
  ) =>
    Answer.written(sql`
      insert into spend_reservation as was (
        -- Never beside a write to spend_charge: it is held to the caps once that is done.
        proposal_id, account_id, amount_micro, day, month,
        daily_micro, monthly_micro, state, reserved_at)
      values (${proposalId}, ${accountId}, ${amountMicro}, ${windows.day}, ${windows.month},
        ${limits.dailyMicro}, ${limits.monthlyMicro}, 'reserved', ${Column.date(at)})
      on conflict (proposal_id) do update set amount_micro = excluded.amount_micro,
        day = excluded.day, month = excluded.month, daily_micro = excluded.daily_micro,
        monthly_micro = excluded.monthly_micro, state = 'reserved',
        reserved_at = excluded.reserved_at
      where was.state = 'released' and was.account_id = excluded.account_id
      returning proposal_id`)

  const usedWithout: Spending["Service"]["usedWithout"] = (accountId, windows, payment) =>
    Effect.map(
      askTogether([
        used(accountId, windows),
        chargedFor(sql, accountId, payment, payment.amountMicro)
      ]),
      ([all, charged]) => without(all, windows, charged)
    )

  /** What stands against a reservation, once the account is held. */
  const standing = ({ accountId, amountMicro, pays, proposalId, windows }: Reservation) =>
    askTogether([
      usedBeside(proposalId, accountId, windows),
      pays === undefined ? Effect.undefined : chargedFor(sql, accountId, pays, amountMicro)
    ])

  const ahead: Spending["Service"]["ahead"] = (reservation) =>
    askAhead([Ledgers.hold(sql, reservation.accountId), standing(reservation)])

  const reserve: Spending["Service"]["reserve"] = (reservation, limits) => {
    const { accountId, amountMicro, windows } = reservation
    // Statement by statement: each must see what was committed while the account was waited for.
    const reserving = Effect.gen(function* () {
      yield* Ledgers.hold(sql, accountId)
      const [before, charged] = yield* standing(reservation)
      if (before.isHeld) return reserved
      const judged = judge(limits, without(before.used, windows, charged), amountMicro)
      if (judged._tag === "over") return judged
      if (charged !== undefined) yield* takeOver(sql, charged)
      yield* write(reservation, limits)
      return judged
    })
    return joined(sql, reserving)
  }

  return { ahead, reserve, used, usedWithout }
}

const reservingForKeys = (sql: SqlClient.SqlClient) => {
  const isOf = (payment: (Paying & { readonly amountMicro: Usd.Usd }) | undefined) =>
    payment === undefined
      ? sql`false`
      : sql`(chain_id = ${payment.chainId} and starts_with(${payment.identity}, identity)
          and to_key = ${payment.to} and amount_micro = ${payment.amountMicro})`

  const usedByKey: Spending["Service"]["usedByKey"] = (keyId, day, payment) =>
    Answer.only(
      sql<{ used: string }>`
        select ((select coalesce(sum(amount_micro), 0) from key_spend_day
            where key_id = ${keyId} and day = ${day})
          -- Whichever key has sent what nobody knew of.
          + (select coalesce(sum(amount_micro), 0) from spend_charge
            where account_id = (select account_id from api_key where id = ${keyId})
              and day = ${day} and state <> 'released' and not ${isOf(payment)}))::text as used`,
      ({ used }) => Usd.make(BigInt(used))
    )

  const held = (proposalId: string) =>
    Answer.all(
      sql<{ key_id: string }>`select key_id from key_reservation
        where proposal_id = ${proposalId} and state <> 'released'`,
      (row) => row.key_id
    )

  const write = ({ accountId, amountMicro, proposalId, windows }: Reservation, { keyId }: KeyCap) =>
    Answer.written(sql`
      insert into key_reservation as was (proposal_id, key_id, account_id, amount_micro, day, state)
      values (${proposalId}, ${keyId}, ${accountId}, ${amountMicro}, ${windows.day}, 'reserved')
      on conflict (proposal_id, key_id) do update set amount_micro = excluded.amount_micro,
        day = excluded.day, state = 'reserved'
      where was.state = 'released' and was.account_id = excluded.account_id
      returning proposal_id`)

  const reserveForKeys: Spending["Service"]["reserveForKeys"] = (reservation, caps) => {
    const { accountId, amountMicro, proposalId, windows } = reservation
    const reserving = Effect.gen(function* () {
      yield* Ledgers.take(sql, accountId)
      const holding = yield* held(proposalId)
      const open = caps.filter(({ keyId }) => !holding.includes(keyId))
      const used = yield* Effect.forEach(open, (cap) =>
        Effect.map(usedByKey(cap.keyId, windows.day), (usedMicro) => ({ ...cap, usedMicro }))
      )
      const judged = judgeKeys(used, amountMicro)
      if (judged._tag === "over") return judged
      yield* Effect.forEach(open, (cap) => write(reservation, cap), { discard: true })
      return judged
    })
    return joined(sql, reserving)
  }

  return { reserveForKeys, usedByKey }
}

/** Raises what a proposal holds, while nobody else writes to the account's ledgers. */
const raising = (
  sql: SqlClient.SqlClient,
  { usedByKey }: Pick<Spending["Service"], "usedByKey">,
  { used }: Pick<Spending["Service"], "used">
) => {
  interface Held {
    readonly state: ReservedAmount["state"]
    readonly amountMicro: Usd.Usd
    readonly windows: Windows
  }

  const heldBy = (proposalId: string) =>
    Answer.first(
      sql<{ state: ReservedAmount["state"]; amount: bigint; day: string; month: string }>`
        select state, amount_micro as amount, day, month from spend_reservation
        where proposal_id = ${proposalId}`,
      ({ amount, state, ...windows }): Held => ({ state, amountMicro: Usd.make(amount), windows })
    )

  const heldByKeys = (proposalId: string) =>
    Effect.map(
      Answer.all(
        sql<{ key_id: string; amount: bigint }>`
          select key_id, amount_micro as amount from key_reservation
          where proposal_id = ${proposalId} and state = 'reserved'`,
        ({ amount, key_id }) => [key_id, Usd.make(amount)] as const
      ),
      (all) => new Map(all)
    )

  const write = (
    { accountId, amountMicro, at, proposalId, windows }: Reservation,
    limits: Limits
  ) =>
    Answer.done(sql`
      insert into spend_reservation (proposal_id, account_id, amount_micro, day, month,
        daily_micro, monthly_micro, state, reserved_at)
      values (${proposalId}, ${accountId}, ${amountMicro}, ${windows.day}, ${windows.month},
        ${limits.dailyMicro}, ${limits.monthlyMicro}, 'reserved', ${Column.date(at)})
      on conflict (proposal_id) do update set amount_micro = excluded.amount_micro,
        daily_micro = excluded.daily_micro, monthly_micro = excluded.monthly_micro`)

  const writeForKey = (
    { accountId, amountMicro, proposalId, windows }: Reservation,
    keyId: string
  ) =>
    Answer.done(sql`
      insert into key_reservation (proposal_id, key_id, account_id, amount_micro, day, state)
      values (${proposalId}, ${keyId}, ${accountId}, ${amountMicro}, ${windows.day}, 'reserved')
      on conflict (proposal_id, key_id) do update set amount_micro = excluded.amount_micro`)

  const raise: Spending["Service"]["raise"] = (reservation, limits, caps) => {
    const { accountId, amountMicro, proposalId } = reservation
    const raised = Effect.gen(function* () {
      yield* Ledgers.take(sql, accountId)
      const held = yield* heldBy(proposalId)
      if (held !== undefined && held.state !== "reserved") {
        return yield* Effect.die(new Error(`The reservation of ${proposalId} has ended.`))
      }
      const windows = held?.windows ?? reservation.windows
      const heldMicro = held?.amountMicro ?? Usd.zero
      const judged =
        amountMicro <= heldMicro
          ? reserved
          : judgeRaise(limits, yield* used(accountId, windows), heldMicro, amountMicro)
      if (judged._tag === "over") return judged
      const underKeys = yield* heldByKeys(proposalId)
      const heldUnder = (keyId: string) => underKeys.get(keyId) ?? Usd.zero
      const rising = caps.filter(({ keyId }) => heldUnder(keyId) < amountMicro)
      const usedOfKeys = yield* Effect.forEach(rising, (cap) =>
        Effect.map(usedByKey(cap.keyId, windows.day), (usedMicro) => ({
          ...cap,
          usedMicro: Usd.make(usedMicro - heldUnder(cap.keyId))
        }))
      )
      const judgedKeys = judgeKeys(usedOfKeys, amountMicro)
      if (judgedKeys._tag === "over") return judgedKeys
      const whole = { ...reservation, windows }
      if (amountMicro > heldMicro) yield* write(whole, limits)
      yield* Effect.forEach(rising, ({ keyId }) => writeForKey(whole, keyId), { discard: true })
      return reserved
    })
    return joined(sql, raised)
  }

  return { raise }
}

/** Ends what is reserved for proposals, for their accounts and under their keys. */
const ending =
  (sql: SqlClient.SqlClient) =>
  (proposalIds: ReadonlyArray<string>, state: ReservedAmount["state"]) =>
    proposalIds.length === 0
      ? Effect.void
      : Effect.forEach(
          [sql`key_reservation`, sql`spend_reservation`],
          (ledger) =>
            Answer.done(sql`
              update ${ledger} set state = ${state}
              where proposal_id ${OneOf.uuids(sql, proposalIds)} and state = 'reserved'`),
          { discard: true }
        )

export const layer = Layer.effect(
  Spending,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const revisions = Rows.rows(sql, revisionTable)
    const held = gathered<{ readonly proposalId: string; readonly held: ReservedAmount }>(
      sql,
      ({ proposalId }) => proposalId,
      (ids) => Rows.rows(sql, heldTable).all(sql`proposal_id ${OneOf.uuids(sql, ids)}`)
    )
    const reservations = reserving(sql)
    const keyReservations = reservingForKeys(sql)
    return {
      ...reservations,
      ...charging(sql),
      ...keyReservations,
      ...raising(sql, keyReservations, reservations),
      usedByDay: (accountId, from, through) =>
        Answer.all(
          sql<{ day: string; used: string }>`
            select day, amount_micro::text as used from spend_day
            where account_id = ${accountId} and day between ${from} and ${through}
              and amount_micro > 0
            order by day`,
          ({ day, used }) => ({ day, usedMicro: Usd.make(BigInt(used)) })
        ),
      heldBy: (proposalId) => Effect.map(held(proposalId), (row) => row?.held),
      consume: (proposalIds) => ending(sql)(proposalIds, "consumed"),
      release: (proposalIds) => ending(sql)(proposalIds, "released"),
      revision: (accountId) => revisions.first({ accountId }, sql` order by number desc limit 1`),
      revise: (revision) => revisions.insertNew(revision, sql`(account_id, number)`)
    }
  })
)
