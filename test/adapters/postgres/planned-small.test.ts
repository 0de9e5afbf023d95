/** What a session planned while a table was small is not paid for once it is large: sessions live for months. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import { often, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Stored from "../../support/stored-rows.ts"

layer(stores)("a statement that was planned while its table was small", (it) => {
  it.effect("reads as much of 10,000 rows as of one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* Stored.endpoint((yield* Stored.account()).id)
      const { release } = yield* Deliveries
      // Whoever renewed the statistics now would have every session plan anew.
      yield* sql`alter table webhook_queue set (autovacuum_enabled = false)`
      yield* sql`vacuum analyze webhook_queue`
      const giveBack = release([{ id, lease: "lease" }])
      yield* often(giveBack)
      yield* often(giveBack)
      const few = yield* often(giveBack)
      const others = sql.literal(Numbered.inSql("queue"))
      yield* sql`
        insert into webhook_endpoint (id, account_id, url, events, notices, max_attempts,
          standard_headers, sealed_secret, created_at, updated_at)
        select ${others}, account_id, url, events, notices, max_attempts,
          standard_headers, sealed_secret, created_at, updated_at
        from webhook_endpoint, generate_series(1, 10_000) as n where id = ${id}`
      yield* sql`insert into webhook_queue (endpoint_id)
        select ${others} from generate_series(1, 10_000) as n`
      const many = yield* often(giveBack)
      assert.isAtMost(many.blocks, few.blocks + 5)
    })
  )
})
