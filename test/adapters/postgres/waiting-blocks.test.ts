/** What waits elsewhere costs nobody anything: what is moved, skipped or due is found by itself. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import { blocksOf } from "../../support/block-counter.ts"
import { copies, often, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

layer(stores)("what waits elsewhere", (it) => {
  it.effect("a proposal is moved without a look at all others that wait", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proposal = yield* Stored.proposal()
      // Few wait by what the database knows, so that looking at them all seems cheap; a page each is more than it says.
      yield* copies("proposal", proposal.id, {
        id: Numbered.inSql("waiting"),
        status: "case when n % 100 = 0 then 'pending_confirm' else 'cancelled' end",
        outcome: "case when n % 100 > 0 then 'not_executed' end"
      })
      yield* sql`set plan_cache_mode = force_custom_plan`
      const { move } = yield* Proposals
      const { blocks } = yield* blocksOf(move([{ ...proposal, status: "executing" }]))
      yield* sql`set plan_cache_mode = auto`
      assert.isAtMost(blocks, 50)
    })
  )

  it.effect("what is to be skipped is looked for without a look at every endpoint", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: accountId } = yield* Stored.account()
      const endpoint = yield* Stored.endpoint(accountId)
      const { enqueue, skipStranded } = yield* Deliveries
      yield* enqueue([Rows.aDelivery(yield* Stored.event(accountId), endpoint)])
      yield* copies("webhook_endpoint", endpoint.id, { id: Numbered.inSql("endpoint") })
      yield* sql`set plan_cache_mode = force_custom_plan`
      const { blocks, found } = yield* blocksOf(skipStranded(1000))
      yield* sql`set plan_cache_mode = auto`
      assert.strictEqual(found, 0)
      assert.isAtMost(blocks, 50)
    })
  )

  it.effect("when the next delivery is due is known by a look at each endpoint", () =>
    Effect.gen(function* () {
      const { id: accountId } = yield* Stored.account()
      const endpoint = yield* Stored.endpoint(accountId)
      const { enqueue, nextDue } = yield* Deliveries
      const usual = Rows.aDelivery(yield* Stored.event(accountId), endpoint, {
        nextAttemptAt: Rows.at(60)
      })
      yield* enqueue([usual])
      yield* copies("delivery", usual.id, {
        id: Numbered.inSql("due"),
        sequence: "null",
        next_attempt_at: "of.next_attempt_at + n * interval '1 second'"
      })
      // By what the database knows, the deliveries that it looks at may be of very many endpoints.
      const sent = { id: Numbered.inSql("sent"), status: "'delivered'", next_attempt_at: "null" }
      const strangers = { endpoint_id: Numbered.inSql("endpoint"), sequence: "null" }
      yield* copies("delivery", usual.id, { ...sent, ...strangers })
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into webhook_queue (endpoint_id) select id from webhook_endpoint on conflict do nothing`
      yield* sql`analyze webhook_queue`
      const { blocks, found } = yield* often(nextDue(Rows.at(0)))
      assert.deepStrictEqual(found, Rows.at(60))
      assert.isAtMost(blocks, 60)
    })
  )

  it.effect("what waits for an endpoint is found without a look at all that waits for others", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: accountId } = yield* Stored.account()
      const [busy, behind] = [yield* Stored.endpoint(accountId), yield* Stored.endpoint(accountId)]
      const { enqueue, skipWaiting } = yield* Deliveries
      const sent = Rows.aDelivery(yield* Stored.event(accountId), busy, {
        status: "delivered",
        nextAttemptAt: null
      })
      const late = Rows.aDelivery(yield* Stored.event(accountId), behind)
      yield* enqueue([sent, late])
      // Nearly all deliveries are of the one endpoint, and all that waits is of the other.
      yield* copies("delivery", late.id, {
        id: Numbered.inSql("late"),
        sequence: "null",
        next_attempt_at: "of.next_attempt_at + n * interval '1 second'"
      })
      for (const round of ["first", "again", "anew", "more", "most", "last"]) {
        yield* copies("delivery", sent.id, { id: Numbered.inSql(round), sequence: "null" })
      }
      yield* sql`set plan_cache_mode = force_custom_plan`
      const { blocks, found } = yield* blocksOf(skipWaiting(busy.id, 1000))
      yield* sql`set plan_cache_mode = auto`
      assert.strictEqual(found, 0)
      assert.isAtMost(blocks, 50)
    })
  )
})
