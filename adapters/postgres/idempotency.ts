/**
 * The store of idempotency keys on SQL. The table's primary key lets one of many callers in; who comes
 * later reads what stands there, and an ended lease is taken over by one guarded update.
 */
import { createHash } from "node:crypto"
import { type DateTime, Effect, Exit, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { maxRows } from "../../core/background/chore.ts"
import {
  Idempotency,
  type Kept,
  type Reservation,
  type ReserveResult,
  type Slot
} from "../../core/operation/idempotency-store.ts"
import { gatheredInTurn } from "../turns/end-of-turn.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import * as Defect from "./defect.ts"
import * as Packed from "./packed.ts"
import * as Terse from "./terse.ts"

interface Row {
  readonly fingerprint: Uint8Array
  readonly called_by: Uint8Array | null
  readonly lease_ends_at: Date
  readonly answer: Uint8Array | null
  readonly sealed_secrets: string | null
  readonly secrets_erase_at: Date | null
}

interface OldRow {
  readonly of_call: string
  readonly operation: string
  readonly answer: Uint8Array | null
}

/** No more than which proposal it told of; one that told of none stays as it is. */
const shortened = (answer: Uint8Array) => {
  const { proposalId } = JSON.parse(Packed.unpack(answer)) as { readonly proposalId?: unknown }
  return typeof proposalId === "string" ? Packed.pack(JSON.stringify({ proposalId })) : answer
}

const standing = (row: Row, reservation: Reservation): ReserveResult => {
  const calledBy = row.called_by === null ? null : Terse.decode(row.called_by)
  if (Buffer.from(row.fingerprint).toString("hex") !== reservation.fingerprint) {
    return { _tag: "mismatched", isAnswered: row.answer !== null }
  }
  if (row.answer === null) {
    return { _tag: "running", leaseEndsAt: Column.instant(row.lease_ends_at), calledBy }
  }
  const answer = {
    body: Packed.unpack(row.answer),
    sealedSecrets: row.sealed_secrets,
    secretsEraseAt: Column.instantOrNull(row.secrets_erase_at)
  }
  return { _tag: "answered", answer, calledBy }
}

/** What it is found by; an account is as long as any other, and an operation has no space in its name. */
const ofCall = ({ accountId, key, operation }: Slot) =>
  createHash("sha256").update(`${accountId} ${operation} ${key}`).digest("hex").slice(0, 32)

const reserving = (sql: SqlClient.SqlClient) => {
  const slotIs = (slot: Slot) => sql`of_call = ${ofCall(slot)}`

  /** Inserts slots, or takes over those whose lease ended unanswered; the owners of what it took. */
  const takeAll = (all: ReadonlyArray<Reservation>) =>
    Answer.all(
      sql<{ lease_owner: string }>`
        insert into idempotency_key as slot (of_call, account_id, operation, fingerprint,
          called_by, lease_owner, reserved_at, lease_ends_at)
        select * from unnest(${all.map(ofCall)}::uuid[],
          ${all.map(({ accountId }) => accountId)}::uuid[],
          ${all.map(({ operation }) => operation)}::text[],
          ${all.map(({ fingerprint }) => Buffer.from(fingerprint, "hex"))}::bytea[],
          ${all.map(({ calledBy }) => Terse.encode(calledBy))}::bytea[],
          ${all.map(({ leaseOwner }) => leaseOwner)}::text[],
          ${all.map(({ now }) => Column.date(now))}::timestamptz[],
          ${all.map(({ leaseEndsAt }) => Column.date(leaseEndsAt))}::timestamptz[])
        on conflict (of_call) do update set lease_owner = excluded.lease_owner,
          called_by = excluded.called_by, reserved_at = excluded.reserved_at,
          lease_ends_at = excluded.lease_ends_at
        where slot.answer is null and slot.lease_ends_at <= excluded.reserved_at
          and slot.fingerprint = excluded.fingerprint
        returning lease_owner`,
      ({ lease_owner }) => lease_owner
    )

  /** What is asked in one turn is one statement, in an order that all keep to; of the same call, the first is asked for. */
  const takeInTurn = gatheredInTurn<Reservation, boolean, never>((asked) => {
    const firsts = new Map<string, Reservation>()
    for (const { question } of asked) {
      const call = ofCall(question)
      if (!firsts.has(call)) firsts.set(call, question)
    }
    const inOrder = [...firsts].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, first]) => first)
    return Effect.map(takeAll(inOrder), (owners) => {
      const taken = new Set(owners)
      for (const { answer, question } of asked) {
        answer(Exit.succeed(taken.has(question.leaseOwner)))
      }
    })
  })

  const take = (reservation: Reservation) =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (running) =>
      running._tag === "Some"
        ? Effect.map(takeAll([reservation]), (owners) => owners.length > 0)
        : takeInTurn(reservation)
    )

  const look = (reservation: Reservation) =>
    Answer.first(
      sql<Row>`select fingerprint, called_by, lease_ends_at, answer, sealed_secrets, secrets_erase_at
        from idempotency_key where ${slotIs(reservation)}`,
      (row) => standing(row, reservation)
    )

  const reserve = (reservation: Reservation): Effect.Effect<ReserveResult> =>
    Effect.flatMap(take(reservation), (taken) =>
      taken
        ? Effect.succeed<ReserveResult>({ _tag: "reserved" })
        : // Freed between the two statements: it is there to be taken again.
          Effect.flatMap(look(reservation), (held) =>
            held === undefined ? reserve(reservation) : Effect.succeed(held)
          )
    )

  return { reserve, slotIs }
}

/** Answered, or held by nobody since. */
const isOver = (sql: SqlClient.SqlClient, before: DateTime.Utc) =>
  sql`(slot.answer is not null or slot.lease_ends_at < ${Column.date(before)})`

/** As many as are packed anew in less than ten milliseconds, in which nothing else is done. */
const putAwayAtOnce = 100

/** Puts some old keys away, in the running transaction; how many. None that another process has in hand. */
const puttingAway = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (before: DateTime.Utc, { short, whole }: Kept, max: number) {
    const old = yield* Answer.all(
      sql<OldRow>`select old.* from unnest(${[...short, ...whole]}::text[]) as asked (operation)
        cross join lateral (
          select of_call, operation, answer from idempotency_key slot
          where not slot.is_put_away and slot.operation = asked.operation
            and slot.reserved_at < ${Column.date(before)} and ${isOver(sql, before)}
          order by slot.reserved_at limit ${max} for update skip locked
        ) old
        limit ${max}`,
      ({ answer, of_call, operation }) => ({
        of_call,
        answer:
          answer === null || !short.includes(operation)
            ? null
            : Buffer.from(shortened(answer)).toString("hex"),
        isAnswered: answer !== null
      })
    )
    if (old.length === 0) return 0
    const of = sql`jsonb_to_recordset(${Column.json(old)}::jsonb) as old (
      "of_call" uuid, "answer" text, "isAnswered" boolean)`
    const isOne = sql`slot.of_call = old."of_call"`
    yield* Answer.done(sql`update idempotency_key slot
      set is_put_away = true, answer = coalesce(decode(old.answer, 'hex'), slot.answer)
      from ${of} where ${isOne} and old."isAnswered"`)
    if (old.some(({ isAnswered }) => !isAnswered)) {
      yield* Answer.done(sql`delete from idempotency_key slot
        using ${of} where ${isOne} and not old."isAnswered"`)
    }
    return old.length
  })

export const layer = Layer.effect(
  Idempotency,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { reserve, slotIs } = reserving(sql)
    const putAway = puttingAway(sql)
    return {
      reserve,

      // A standby may not have the newest keys yet, so there every one may be taken.
      isTaken: (slot) =>
        Answer.any(
          sql`select 1 where pg_is_in_recovery()
            or exists (select from idempotency_key where ${slotIs(slot)})`
        ),

      answer: (slot, leaseOwner, answer) =>
        Answer.taken(sql`
          update idempotency_key set answer = ${Packed.pack(answer.body)},
            lease_owner = '', sealed_secrets = ${answer.sealedSecrets},
            secrets_erase_at = ${Column.dateOrNull(answer.secretsEraseAt)}
          where ${slotIs(slot)} and lease_owner = ${leaseOwner} and answer is null
          returning of_call`),

      release: (slot, leaseOwner) =>
        Answer.done(sql`
          delete from idempotency_key
          where ${slotIs(slot)} and lease_owner = ${leaseOwner} and answer is null`),

      renew: (slot, leaseOwner, leaseEndsAt) =>
        Answer.done(sql`
          update idempotency_key set lease_ends_at = ${Column.date(leaseEndsAt)}
          where ${slotIs(slot)} and lease_owner = ${leaseOwner} and answer is null`),

      eraseSecrets: (now, max) =>
        Batch.updated(sql, sql`sealed_secrets = null`, {
          table: "idempotency_key",
          where: sql`sealed_secrets is not null and secrets_erase_at <= ${Column.date(now)}`,
          by: "secrets_erase_at",
          max
        }),

      // Who else writes to such an answer is waited for: none may be passed over.
      eraseSecretsOf: (accountId, callers) =>
        Effect.map(
          Batch.inParts(callers, maxRows, (part) =>
            Effect.map(
              Batch.repeated(
                maxRows,
                Batch.touched(
                  sql,
                  sql`update idempotency_key set sealed_secrets = null where ctid = any(array(
                    select ctid from idempotency_key
                    where called_by = any(${part.map(Terse.encode)}::bytea[]) and sealed_secrets is not null
                      and account_id = ${accountId}
                    limit ${maxRows} for no key update
                  ))`
                )
              ),
              (erased) => [erased]
            )
          ),
          (erased) => erased.reduce((sum, each) => sum + each, 0)
        ),

      // Steps along the index from one operation to the next, so that those to keep are never read.
      forget: (before, keep, max) =>
        Batch.touched(
          sql,
          sql`delete from idempotency_key where ctid = any(array(
            with recursive called (operation, oldest) as (
              (select operation, reserved_at from idempotency_key
                where not is_put_away order by operation, reserved_at limit 1)
              union all
              select next.operation, next.reserved_at from called cross join lateral (
                select operation, reserved_at from idempotency_key
                where not is_put_away and operation > called.operation
                order by operation, reserved_at limit 1
              ) next
            )
            select old.ctid from (
              select operation from called
              where oldest < ${Column.date(before)} and operation <> all(${keep}::text[])
            ) due cross join lateral (
              select ctid from idempotency_key slot
              where not slot.is_put_away and slot.operation = due.operation
                and slot.reserved_at < ${Column.date(before)} and ${isOver(sql, before)}
              order by slot.reserved_at limit ${max} for update skip locked
            ) old limit ${max}
          ))`
        ),

      // To the most, however many others do it too: whoever asks goes on only after as many.
      putAway: Effect.fnUntraced(function* (before, kept, max) {
        let rows = 0
        while (rows < max) {
          const most = Math.min(putAwayAtOnce, max - rows)
          const part = yield* Defect.orDie(sql.withTransaction(putAway(before, kept, most)))
          rows += part
          if (part < most) break
        }
        return rows
      })
    }
  })
)
