/** Records that take the place of others, as a promoted standby does: they go on on a later line of history. */
import { DateTime, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { MemoryStore } from "../../adapters/memory/store.ts"
import { lineName } from "../../adapters/postgres/line-now.ts"
import { serverNow } from "../../adapters/postgres/server-identity.ts"

/** In memory. */
export const beginInMemory = Effect.fnUntraced(function* (number: number, begunAt: DateTime.Utc) {
  const store = yield* MemoryStore
  store.line = { number, begunAt }
})

/** On a database; one that is not kept may belong to another server. */
export const beginOnSql = Effect.fnUntraced(function* (
  number: number,
  begunAt: DateTime.Utc,
  isKept = true
) {
  const sql = yield* SqlClient.SqlClient
  const line = { number, begunAt: DateTime.formatIso(begunAt), keyStore: null, isKept, held: null }
  yield* sql`
    insert into key_material (name, sealed, version)
    select ${lineName}, (${JSON.stringify(line)}::jsonb || jsonb_build_object('server', ${serverNow(sql)}))::text, 1
    on conflict (name) do update set sealed = excluded.sealed`
})
