/** Threat 39 across replicas: a claim link asked for by many at once on PostgreSQL is sent three times, and one is good. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Accounts from "../../support/accounts.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as SmallTreasury from "../../support/small-treasury.ts"

const treasury = Layer.merge(
  SmallTreasury.layer(),
  Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))
)

layer(treasury)("claim links asked for at once", (it) => {
  it.effect("are three an hour, and the last of them is the only one that opens", () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* Accounts.opened({
        kind: "agent",
        contactEmail: "ada@example.com"
      })
      const results = yield* Effect.all(
        Array.from({ length: 64 }, () => Effect.result(call.resend_claim_link({}))),
        { concurrency: 16 }
      )
      assert.lengthOf(results.filter(Result.isSuccess), 3)
      for (const { failure } of results.filter(Result.isFailure)) {
        assert.strictEqual(failure._tag, "RATE_LIMITED")
      }
      const sql = yield* SqlClient.SqlClient
      const links = yield* sql<{ open: number; all: number }>`
        select count(*) filter (where ended_at is null)::integer as open, count(*)::integer as all
        from enrolment where account_id = ${accountId}`
      assert.deepStrictEqual(links, [{ open: 1, all: 3 }])
      const emails = yield* sql<{ status: string }>`
        select status from outbound_email where account_id = ${accountId} order by status`
      assert.deepStrictEqual(
        emails.map(({ status }) => status),
        ["queued", "superseded", "superseded"]
      )
    })
  )
})
