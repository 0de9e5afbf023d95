/** The store of humans and their passkeys on SQL. The guarded update lets one of two equal counters through. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Human } from "../../core/humans/human.ts"
import { Humans } from "../../core/humans/human-store.ts"
import type { Passkey } from "../../core/humans/passkey.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface HumanRow {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly created_at: Date
}

const readHuman = (row: HumanRow): Human => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  createdAt: Column.instant(row.created_at)
})

interface PasskeyRow {
  readonly id: string
  readonly account_id: string
  readonly human_id: string
  readonly credential_id: string
  readonly public_key: string
  readonly counter: bigint | number | string
  readonly transports: ReadonlyArray<string>
  readonly backed_up: boolean
  readonly label: string
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly suspended_at: Date | null
}

const readPasskey = (row: PasskeyRow): Passkey => ({
  id: row.id,
  accountId: row.account_id,
  humanId: row.human_id,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: Number(row.counter),
  transports: row.transports,
  backedUp: row.backed_up,
  label: row.label,
  createdAt: Column.instant(row.created_at),
  lastUsedAt: Column.instantOrNull(row.last_used_at),
  suspendedAt: Column.instantOrNull(row.suspended_at)
})

const adding = (sql: SqlClient.SqlClient, passkey: Passkey) => sql`
  insert into passkey (id, account_id, human_id, credential_id, public_key, counter, transports,
    backed_up, label, created_at, last_used_at, suspended_at)
  values (${passkey.id}, ${passkey.accountId}, ${passkey.humanId}, ${passkey.credentialId},
    ${passkey.publicKey}, ${passkey.counter}, ${passkey.transports}, ${passkey.backedUp},
    ${passkey.label}, ${Column.date(passkey.createdAt)}, ${Column.dateOrNull(passkey.lastUsedAt)},
    ${Column.dateOrNull(passkey.suspendedAt)})
  on conflict (credential_id) do nothing
  returning id`

export const layer = Layer.effect(
  Humans,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    add: (human) =>
      Answer.done(sql`
        insert into human (id, account_id, name, created_at)
        values (${human.id}, ${human.accountId}, ${human.name}, ${Column.date(human.createdAt)})`),

    find: (accountId, humanId) =>
      Answer.first(
        sql<HumanRow>`select * from human where account_id = ${accountId} and id = ${humanId}`,
        readHuman
      ),

    of: (accountId) =>
      Answer.all(
        sql<HumanRow>`select * from human where account_id = ${accountId}
          order by created_at, id`,
        readHuman
      ),

    addPasskey: (passkey) => Answer.any(adding(sql, passkey)),

    passkey: (accountId, passkeyId) =>
      Answer.first(
        sql<PasskeyRow>`select * from passkey
          where account_id = ${accountId} and id = ${passkeyId}`,
        readPasskey
      ),

    byCredential: (credentialId) =>
      Answer.first(
        sql<PasskeyRow>`select * from passkey where credential_id = ${credentialId}`,
        readPasskey
      ),

    passkeysOf: (humanId) =>
      Answer.all(
        sql<PasskeyRow>`select * from passkey where human_id = ${humanId} order by created_at, id`,
        readPasskey
      ),

    use: (passkeyId, counter, at) =>
      Answer.any(sql`
        update passkey set counter = ${counter}, last_used_at = ${Column.date(at)}
        where id = ${passkeyId} and suspended_at is null
          and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))
        returning id`),

    suspend: (accountId, passkeyId, at) =>
      Answer.any(sql`
        update passkey set suspended_at = ${Column.date(at)}
        where account_id = ${accountId} and id = ${passkeyId} and suspended_at is null
        returning id`)
  }))
)
