/** The store of API keys on SQL. A digest belongs to one key, by a unique key of the table. */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import type { Key } from "../../core/accounts/key.ts"
import { Keys } from "../../core/accounts/key-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface Row {
  readonly id: string
  readonly account_id: string
  readonly kind: Key["kind"]
  readonly prefix: string
  readonly last_four: string
  readonly scopes: Key["scopes"]
  readonly label: string | null
  readonly made_by: string | null
  readonly ip_ranges: Key["ipRanges"]
  readonly wallet_ids: Key["walletIds"]
  readonly recipient_ids: Key["recipientIds"]
  readonly daily_cap_micro: bigint | null
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
}

const read = (row: Row): Key => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  prefix: row.prefix,
  lastFour: row.last_four,
  scopes: row.scopes,
  label: row.label,
  madeBy: row.made_by,
  ipRanges: row.ip_ranges,
  walletIds: row.wallet_ids,
  recipientIds: row.recipient_ids,
  dailyCapMicro: row.daily_cap_micro,
  createdAt: Column.instant(row.created_at),
  lastUsedAt: Column.instantOrNull(row.last_used_at),
  expiresAt: Column.instantOrNull(row.expires_at),
  revokedAt: Column.instantOrNull(row.revoked_at)
})

const minuteBefore = (at: DateTime.Utc) => Column.date(DateTime.subtract(at, { minutes: 1 }))

/** Who made whom never changes, so a line is read as it is; only its keys are locked, from the first on. */
const lines = (sql: SqlClient.SqlClient) => {
  const idsOfLine = (accountId: string, keyId: string) =>
    Answer.all(
      sql<{ id: string }>`
        with recursive line as (
          select id, made_by, 0 as distance from api_key
          where account_id = ${accountId} and id = ${keyId}
          union all
          select maker.id, maker.made_by, line.distance + 1
          from api_key maker join line on maker.id = line.made_by
        )
        select id from line order by distance desc`,
      ({ id }) => id
    )

  const idsOfBranch = (keyId: string) =>
    Answer.all(
      sql<{ id: string }>`
        with recursive branch as (
          select id, 0 as distance from api_key where id = ${keyId}
          union all
          select made.id, branch.distance + 1
          from api_key made join branch on made.made_by = branch.id
        )
        select id from branch order by distance, id`,
      ({ id }) => id
    )

  /** In the order of the ids; rows are locked in the order they are given back. */
  const rows = (ids: ReadonlyArray<string>, lock: Statement.Fragment) =>
    Answer.all(
      sql<Row>`select key.* from unnest(${ids}::text[]) with ordinality as asked (id, place)
        join api_key key on key.id = asked.id order by asked.place ${lock}`,
      read
    )

  return {
    hold: (accountId: string, keyId: string) =>
      Answer.first(
        sql<Row>`select * from api_key where account_id = ${accountId} and id = ${keyId} for share`,
        read
      ),

    line: (accountId: string, keyId: string) =>
      Effect.flatMap(idsOfLine(accountId, keyId), (ids) => rows(ids, sql``)),

    holdLine: (accountId: string, keyId: string) =>
      Effect.flatMap(idsOfLine(accountId, keyId), (ids) => rows(ids, sql`for share of key`)),

    takeBranch: Effect.fnUntraced(function* (accountId: string, keyId: string) {
      // First alone: whoever makes a key below it holds it, so what is read next is all there is.
      const taken = yield* Answer.any(sql`
        select id from api_key where account_id = ${accountId} and id = ${keyId} for no key update`)
      return taken ? yield* rows(yield* idsOfBranch(keyId), sql`for no key update of key`) : []
    })
  }
}

export const layer = Layer.effect(
  Keys,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ...lines(sql),

    findByDigest: (digest) =>
      Answer.first(sql<Row>`select * from api_key where digest = ${digest}`, read),

    find: (accountId, keyId) =>
      Answer.first(
        sql<Row>`select * from api_key where account_id = ${accountId} and id = ${keyId}`,
        read
      ),

    issue: (key, digest) =>
      Answer.done(sql`
        insert into api_key (id, account_id, digest, kind, prefix, last_four, scopes, label,
          made_by, ip_ranges, wallet_ids, recipient_ids, daily_cap_micro, created_at, last_used_at,
          expires_at, revoked_at)
        values (${key.id}, ${key.accountId}, ${digest}, ${key.kind}, ${key.prefix}, ${key.lastFour},
          ${key.scopes}, ${key.label}, ${key.madeBy}, ${key.ipRanges}, ${key.walletIds},
          ${key.recipientIds}, ${key.dailyCapMicro}, ${Column.date(key.createdAt)},
          ${Column.dateOrNull(key.lastUsedAt)}, ${Column.dateOrNull(key.expiresAt)},
          ${Column.dateOrNull(key.revokedAt)})`),

    list: (accountId, request) =>
      Paging.page(
        sql<Row>`select * from api_key ${Paging.tail(sql, [sql`account_id = ${accountId}`], request)}`,
        request,
        read
      ),

    revoke: (accountId, keyId, at) =>
      Answer.any(sql`
        update api_key set revoked_at = ${Column.date(at)}
        where account_id = ${accountId} and id = ${keyId} and revoked_at is null
        returning id`),

    noteUse: (keyId, at) =>
      Answer.done(sql`
        update api_key set last_used_at = ${Column.date(at)}
        where id = ${keyId}
          and (last_used_at is null or last_used_at <= ${minuteBefore(at)})`),

    noteRefusal: (keyId, at) =>
      Answer.any(sql`
        update api_key set last_refused_at = ${Column.date(at)}
        where id = ${keyId}
          and (last_refused_at is null or last_refused_at <= ${minuteBefore(at)})
        returning id`)
  }))
)
