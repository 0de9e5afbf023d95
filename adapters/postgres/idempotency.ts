/**
 * The book of idempotency keys on SQL. The table's primary key lets one of many callers in; who comes
 * later reads what stands there, and an ended lease is taken over by one guarded update.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import {
  type Held,
  Idempotency,
  type Reservation,
  type Slot
} from "../../core/ports/idempotency.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface Row {
  readonly fingerprint: string
  readonly lease_ends_at: Date
  readonly answer: string | null
  readonly sealed_secrets: string | null
  readonly secrets_erase_at: Date | null
}

const standing = (row: Row, reservation: Reservation): Held => {
  if (row.fingerprint !== reservation.fingerprint) return { _tag: "mismatched" }
  if (row.answer === null) {
    return { _tag: "running", leaseEndsAt: Column.instant(row.lease_ends_at) }
  }
  const answer = {
    body: row.answer,
    sealedSecrets: row.sealed_secrets,
    secretsEraseAt: Column.instantOrNull(row.secrets_erase_at)
  }
  return { _tag: "answered", answer }
}

const reserving = (sql: SqlClient.SqlClient) => {
  const slotIs = ({ accountId, key, operation }: Slot) =>
    sql`account_id = ${accountId} and operation = ${operation} and key = ${key}`

  /** Inserts the slot, or takes it over in the same statement when its lease ended unanswered. */
  const take = (reservation: Reservation) => {
    const now = Column.date(reservation.now)
    return Answer.any(sql`
      insert into idempotency_key as slot (account_id, operation, key, fingerprint, holder,
        reserved_at, lease_ends_at)
      values (${reservation.accountId}, ${reservation.operation}, ${reservation.key},
        ${reservation.fingerprint}, ${reservation.holder}, ${now},
        ${Column.date(reservation.leaseEndsAt)})
      on conflict (account_id, operation, key) do update set holder = excluded.holder,
        reserved_at = excluded.reserved_at, lease_ends_at = excluded.lease_ends_at
      where slot.answer is null and slot.lease_ends_at <= ${now}
        and slot.fingerprint = excluded.fingerprint
      returning key`)
  }

  const look = (reservation: Reservation) =>
    Answer.first(
      sql<Row>`select fingerprint, lease_ends_at, answer, sealed_secrets, secrets_erase_at
        from idempotency_key where ${slotIs(reservation)}`,
      (row) => standing(row, reservation)
    )

  const reserve = (reservation: Reservation): Effect.Effect<Held> =>
    Effect.flatMap(take(reservation), (taken) =>
      taken
        ? Effect.succeed<Held>({ _tag: "reserved" })
        : // Freed between the two statements: it is there to be taken again.
          Effect.flatMap(look(reservation), (held) =>
            held === undefined ? reserve(reservation) : Effect.succeed(held)
          )
    )

  return { reserve, slotIs }
}

export const layer = Layer.effect(
  Idempotency,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const { reserve, slotIs } = reserving(sql)
    return {
      reserve,

      answer: (slot, holder, answer) =>
        Answer.any(sql`
          update idempotency_key set answer = ${answer.body},
            sealed_secrets = ${answer.sealedSecrets},
            secrets_erase_at = ${Column.dateOrNull(answer.secretsEraseAt)}
          where ${slotIs(slot)} and holder = ${holder} and answer is null
          returning key`),

      release: (slot, holder) =>
        Answer.done(sql`
          delete from idempotency_key
          where ${slotIs(slot)} and holder = ${holder} and answer is null`),

      renew: (slot, holder, leaseEndsAt) =>
        Answer.done(sql`
          update idempotency_key set lease_ends_at = ${Column.date(leaseEndsAt)}
          where ${slotIs(slot)} and holder = ${holder} and answer is null`),

      eraseSecrets: (now) =>
        Answer.count(sql`
          update idempotency_key set sealed_secrets = null
          where sealed_secrets is not null and secrets_erase_at <= ${Column.date(now)}
          returning key`),

      forget: (before, keep) =>
        Answer.count(sql`
          delete from idempotency_key
          where reserved_at < ${Column.date(before)}
            and ((answer is not null and operation <> all(${keep}::text[]))
              or (answer is null and lease_ends_at < ${Column.date(before)}))
          returning key`)
    }
  })
)
