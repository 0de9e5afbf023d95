/** The store of API keys on SQL. A digest belongs to one key, by a unique key of the table. */
import { DateTime, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import { Keys } from "../../core/accounts/account-store.ts"
import type { Key } from "../../core/accounts/key.ts"
import { maxRows } from "../../core/background/chore.ts"
import * as Answer from "./answer.ts"
import * as Batch from "./batch.ts"
import * as Column from "./column.ts"
import { recentKeys } from "./recent-keys.ts"
import * as Rows from "./rows.ts"
import { bigint, type Row, table, text, texts, timestamp, uuid } from "./table.ts"
import { keysChanged, WakeUps } from "./wake-ups.ts"

const keyTable = table<Key>("api_key", {
  id: uuid,
  accountId: uuid,
  kind: text,
  prefix: text,
  lastFour: text,
  scopes: texts,
  label: text,
  madeBy: uuid,
  ipRanges: texts,
  walletIds: texts,
  recipientIds: texts,
  dailyCapMicro: bigint,
  createdAt: timestamp,
  lastUsedAt: timestamp,
  expiresAt: timestamp,
  revokedAt: timestamp
})

const minuteBefore = (at: DateTime.Utc) => Column.date(DateTime.subtract(at, { minutes: 1 }))

/** Who made whom never changes, so a line is read as it is; only its keys are locked, from the first on. */
const lines = (sql: SqlClient.SqlClient) => {
  const idsOfLine = (accountId: string, keyId: string) =>
    Answer.all(
      sql<{ id: string }>`
        with recursive line as (
          select id, made_by, 0 as distance from api_key
          where account_id = ${accountId} and id = ${Column.soughtUuid(keyId)}
          union all
          select maker.id, maker.made_by, line.distance + 1
          from api_key maker join line on maker.id = line.made_by
        )
        select id from line order by distance desc`,
      ({ id }) => id
    )

  // Along the index of makers, which only a range is sure to be: of equals, all keys there are seem as near, where one
  // key made most of them.
  const childrenOf = (keyId: string) =>
    Batch.pages(maxRows, (after: string | undefined) =>
      Answer.all(
        sql<{ id: string }>`select id from api_key
          where (made_by, id) > (${keyId}::uuid, ${after ?? Column.nobodys}::uuid) and made_by <= ${keyId}
          order by made_by, id limit ${maxRows}`,
        ({ id }) => id
      )
    )

  const makersAmong = (ids: ReadonlyArray<string>) =>
    Answer.all(
      sql<{
        id: string
      }>`select maker.id from unnest(${ids}::uuid[]) with ordinality as maker (id, place)
        where (
          select made.made_by from api_key made where made.made_by between maker.id and maker.id
          order by made.made_by limit 1
        ) is not null
        order by maker.place`,
      ({ id }) => id
    )

  /** Generation by generation, so that no statement reads the whole of a large branch. */
  const idsOfBranch = Effect.fnUntraced(function* (keyId: string) {
    const branch: Array<string> = []
    let generation: ReadonlyArray<string> = [keyId]
    while (generation.length > 0) {
      branch.push(...generation)
      const makers = yield* Batch.inParts(generation, maxRows, makersAmong)
      generation = (yield* Effect.forEach(makers, childrenOf)).flat()
    }
    return branch
  })

  /** In the order of the ids; rows are locked in the order they are given back. */
  const inOrder = (ids: ReadonlyArray<string>, lock: Statement.Fragment) =>
    Answer.all(
      sql<Row>`select key.* from unnest(${ids}::uuid[]) with ordinality as asked (id, place)
        join api_key key on key.id = asked.id order by asked.place ${lock}`,
      keyTable.read
    )

  return {
    line: (accountId: string, keyId: string) =>
      Effect.flatMap(idsOfLine(accountId, keyId), (ids) => inOrder(ids, sql``)),

    holdLine: (accountId: string, keyId: string) =>
      Effect.flatMap(idsOfLine(accountId, keyId), (ids) => inOrder(ids, sql`for share of key`)),

    takeBranch: Effect.fnUntraced(function* (accountId: string, keyId: string) {
      // First alone: whoever makes a key below it holds it, so what is read next is all there is.
      const taken = yield* Answer.any(sql`
        select id from api_key where account_id = ${accountId} and id = ${Column.soughtUuid(keyId)} for no key update`)
      if (!taken) return []
      return yield* Batch.inParts(yield* idsOfBranch(keyId), maxRows, (ids) =>
        inOrder(ids, sql`for no key update of key`)
      )
    })
  }
}

export const layer = Layer.effect(
  Keys,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { hear, isHearing } = yield* WakeUps
    const keys = Rows.rows(sql, keyTable)
    const recent = recentKeys(isHearing)
    yield* Effect.acquireRelease(
      Effect.sync(() => hear(keysChanged, recent.forgetAll)),
      (leave) => Effect.sync(leave)
    )
    const inTransaction = Effect.map(
      Effect.serviceOption(sql.transactionService),
      ({ _tag }) => _tag === "Some"
    )
    /** At once, and again when others can see what was written. */
    const forgetting = (keyId: string) => {
      const forget = Effect.sync(() => recent.forget(keyId))
      return Effect.andThen(forget, sql.afterCommit(forget))
    }
    return {
      ...lines(sql),
      atHand: recent.recent,
      findByDigest: (digest) => {
        const read = keys.first(sql`digest = ${digest}`)
        // A transaction may see what nobody else does yet.
        return Effect.flatMap(inTransaction, (isInside) =>
          isInside ? read : recent.find(digest, read)
        )
      },
      find: (accountId, id) => keys.first({ accountId, id }),
      hold: (accountId, id) => keys.first({ accountId, id }, Rows.forShare),
      issue: (key, digest) => keys.insert(key, { digest }),
      countInForce: (accountId, now, max) =>
        Answer.only(
          sql<{ readonly count: number }>`select count(*)::integer as count from (
            select from api_key
            where account_id = ${accountId} and revoked_at is null
              and coalesce(expires_at, 'infinity') > ${Column.date(now)}
            limit ${max}
          ) in_force`,
          ({ count }) => count
        ),
      list: (accountId, request) => keys.page({ accountId }, request),
      revoke: (accountId, id, revokedAt) =>
        Effect.tap(keys.updateIf({ accountId, id, revokedAt: null }, { revokedAt }), () =>
          forgetting(id)
        ),
      noteUse: (id, at) =>
        Effect.andThen(
          keys.updateIf(
            sql`id = ${Column.soughtUuid(id)} and (last_used_at is null or last_used_at <= ${minuteBefore(at)})`,
            { lastUsedAt: at }
          ),
          forgetting(id)
        ),
      noteRefusal: (id, at) =>
        Answer.any(sql`
          update api_key set last_refused_at = ${Column.date(at)}
          where id = ${Column.soughtUuid(id)} and (last_refused_at is null or last_refused_at <= ${minuteBefore(at)})
          returning id`)
    }
  })
)
