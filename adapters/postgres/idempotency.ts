/**
 * The store of idempotency keys on SQL. The table's primary key lets one of many callers in; who comes
 * later reads what stands there, and an ended lease is taken over by one guarded update.
 */
import { type DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { maxRows } from "../../core/background/chore.ts"
import {
  Idempotency,
  type Reservation,
  type ReserveResult,
  type Slot
} from "../../core/operation/idempotency-store.ts"
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

interface AnsweredRow {
  readonly account_id: string
  readonly operation: string
  readonly key: string
  readonly answer: Uint8Array
}

/** Of an answer that told of a proposal no more than which one; another one stays as it is. */
const shortened = ({ answer, ...slot }: AnsweredRow) => {
  const text = Packed.unpack(answer)
  const { proposalId } = JSON.parse(text) as { readonly proposalId?: unknown }
  const short = typeof proposalId === "string" ? JSON.stringify({ proposalId }) : text
  return { ...slot, answer: Buffer.from(Packed.pack(short)).toString("hex") }
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

const encodedOrNull = (value: string | null) => (value === null ? null : Terse.encode(value))

const reserving = (sql: SqlClient.SqlClient) => {
  const slotIs = ({ accountId, key, operation }: Slot) =>
    sql`account_id = ${accountId} and operation = ${operation} and key = ${key}`

  /** Inserts the slot, or takes it over in the same statement when its lease ended unanswered. */
  const take = (reservation: Reservation) => {
    const now = Column.date(reservation.now)
    return Answer.any(sql`
      insert into idempotency_key as slot (account_id, operation, key, fingerprint, called_by,
        lease_owner, reserved_at, lease_ends_at)
      values (${reservation.accountId}, ${reservation.operation}, ${reservation.key},
        ${Buffer.from(reservation.fingerprint, "hex")}, ${encodedOrNull(reservation.calledBy)}, ${reservation.leaseOwner}, ${now},
        ${Column.date(reservation.leaseEndsAt)})
      on conflict (account_id, operation, key) do update set lease_owner = excluded.lease_owner,
        called_by = excluded.called_by, reserved_at = excluded.reserved_at, lease_ends_at = excluded.lease_ends_at
      where slot.answer is null and slot.lease_ends_at <= ${now}
        and slot.fingerprint = excluded.fingerprint
      returning key`)
  }

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

/** As many as are packed anew in less than ten milliseconds, in which nothing else is done. */
const shortenedAtOnce = 100

/** Shortens some old answers, in the running transaction; how many. None that another process has in hand. */
const shortening = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (
    before: DateTime.Utc,
    operations: ReadonlyArray<string>,
    max: number
  ) {
    const old = yield* Answer.all(
      sql<AnsweredRow>`select old.* from unnest(${operations}::text[]) as asked (operation)
        cross join lateral (
          select account_id, operation, key, answer from idempotency_key slot
          where slot.answer is not null and not slot.is_short
            and slot.operation = asked.operation
            and slot.reserved_at < ${Column.date(before)}
          order by slot.reserved_at limit ${max} for no key update skip locked
        ) old
        limit ${max}`,
      shortened
    )
    if (old.length === 0) return 0
    yield* Answer.done(sql`
      update idempotency_key slot set is_short = true, answer = decode(short.answer, 'hex')
      from jsonb_to_recordset(${Column.json(old)}::jsonb) as short (
        "account_id" uuid, "operation" text, "key" text, "answer" text)
      where slot.account_id = short."account_id" and slot.operation = short."operation"
        and slot.key = short."key"`)
    return old.length
  })

export const layer = Layer.effect(
  Idempotency,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { reserve, slotIs } = reserving(sql)
    const shorten = shortening(sql)
    return {
      reserve,

      // A standby may not have the newest keys yet, so there every one may be taken.
      isTaken: (slot) =>
        Answer.any(
          sql`select 1 where pg_is_in_recovery()
            or exists (select from idempotency_key where ${slotIs(slot)})`
        ),

      answer: (slot, leaseOwner, answer) =>
        Answer.any(sql`
          update idempotency_key set answer = ${Packed.pack(answer.body)},
            lease_owner = '', sealed_secrets = ${answer.sealedSecrets},
            secrets_erase_at = ${Column.dateOrNull(answer.secretsEraseAt)}
          where ${slotIs(slot)} and lease_owner = ${leaseOwner} and answer is null
          returning key`),

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

      // To the most, however many others do it too: whoever asks goes on only after as many.
      shortenAnswers: Effect.fnUntraced(function* (before, operations, max) {
        let rows = 0
        while (rows < max) {
          const most = Math.min(shortenedAtOnce, max - rows)
          const part = yield* Defect.orDie(sql.withTransaction(shorten(before, operations, most)))
          rows += part
          if (part < most) break
        }
        return rows
      }),

      // Steps along the index from one operation to the next, so that those to keep are never read.
      forgetAnswered: (before, keep, max) =>
        Batch.touched(
          sql,
          sql`delete from idempotency_key where ctid = any(array(
            with recursive answered (operation, oldest) as (
              (select operation, reserved_at from idempotency_key
                where answer is not null and not is_short
                order by operation, reserved_at limit 1)
              union all
              select next.operation, next.reserved_at from answered cross join lateral (
                select operation, reserved_at from idempotency_key
                where answer is not null and not is_short and operation > answered.operation
                order by operation, reserved_at limit 1
              ) next
            )
            select old.ctid from (
              select operation from answered
              where oldest < ${Column.date(before)} and operation <> all(${keep}::text[])
            ) due cross join lateral (
              select ctid from idempotency_key slot
              where slot.answer is not null and not slot.is_short
                and slot.operation = due.operation and slot.reserved_at < ${Column.date(before)}
              order by slot.reserved_at limit ${max} for update skip locked
            ) old limit ${max}
          ))`
        ),

      forgetUnanswered: (before, max) =>
        Batch.deleted(sql, {
          table: "idempotency_key",
          where: sql`answer is null and lease_ends_at < ${Column.date(before)}
            and reserved_at < ${Column.date(before)}`,
          by: "reserved_at",
          max
        })
    }
  })
)
