/** The operator's figures say how the work stands over all accounts, and nothing of any one of them. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import * as Figures from "../../../adapters/postgres/figures.ts"
import * as KeyMaterial from "../../../adapters/postgres/key-material.ts"
import { lineName } from "../../../adapters/postgres/line-now.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Ids from "../../../adapters/secrets/ids.ts"
import { record } from "../../../core/audit/record.ts"
import { Cursors } from "../../../core/payments/transfer-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { UsdcImplementations } from "../../../core/tokens/usdc-implementation-store.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as ShiftedClock from "../../support/shifted-clock.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const stores = Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))

/** Every figure as it is told at a time, by its name and label. */
const figuresAt = Effect.fnUntraced(function* (seconds: number) {
  const clock = ShiftedClock.provide(() => Rows.at(seconds).epochMilliseconds)
  yield* clock(Figures.measure(["base"]))
  const text = yield* PrometheusMetrics.format({ prefix: "bursar" })
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  return Object.fromEntries(
    lines.map((line) => [line.replace(/ \S+$/u, ""), line.split(" ").at(-1)])
  )
})

const planted = Effect.gen(function* () {
  const { id: accountId } = yield* Stored.account()
  const endpoint = yield* Stored.endpoint(accountId)
  const deliver = Effect.fnUntraced(function* (
    over: Partial<Parameters<typeof Rows.aDelivery>[2]>
  ) {
    const event = yield* Stored.event(accountId)
    yield* (yield* Deliveries).enqueue([Rows.aDelivery(event, endpoint, over)])
  })
  yield* deliver({ status: "pending", nextAttemptAt: Rows.at(10) })
  yield* deliver({ status: "pending", nextAttemptAt: Rows.at(10_000) })
  yield* deliver({ status: "retrying", nextAttemptAt: Rows.at(10) })
  yield* deliver({ status: "failed", nextAttemptAt: null })
  const { open } = yield* SubmissionStore
  yield* open(yield* SubmissionQueue.aSubmission())
  yield* open(SendingRows.submitted(yield* SubmissionQueue.aSubmission()))
  yield* Stored.proposal({ accountId })
  const { see } = yield* UsdcImplementations
  for (const chainId of ["base", "polygon"]) yield* see(chainId, "0xa1", Rows.at(1))
  yield* see("polygon", "0xb2", Rows.at(2))
  yield* (yield* Cursors).start(Rows.aCursor({ chainId: "base", head: 107 }))
  const connectedAt = Object.fromEntries(
    ["base", "polygon"].map((chainId) => [chainId, DateTime.formatIso(Rows.at(40))])
  )
  yield* KeyMaterial.keep(lineName, JSON.stringify({ connectedAt }))
  yield* record({
    accountId,
    actor: "operator",
    action: "account.tier_set",
    subjectType: "account",
    subjectId: accountId
  })
  return accountId
})

it.layer(Layer.merge(stores, Ids.layer), { excludeTestServices: true })(
  "the operator's figures",
  (it) => {
    it.effect("count what waits, by state and by chain, and are zero where nothing does", () =>
      Effect.gen(function* () {
        const none = yield* figuresAt(0)
        assert.strictEqual(none['bursar_deliveries_waiting{status="retrying"}'], "0")
        assert.strictEqual(none.bursar_oldest_send_seconds, "0")
        const accountId = yield* ShiftedClock.provide(() => Rows.at(0).epochMilliseconds)(planted)
        const now = yield* figuresAt(190)
        assert.deepInclude(now, {
          'bursar_deliveries_waiting{status="pending"}': "2",
          'bursar_deliveries_waiting{status="retrying"}': "1",
          bursar_deliveries_due: "2",
          bursar_deliveries_failed_last_day: "1",
          'bursar_sends_under_way{status="prepared"}': "1",
          'bursar_sends_under_way{status="submitted"}': "1",
          'bursar_sends_under_way{status="seen"}': "0",
          bursar_oldest_send_seconds: "190",
          'bursar_proposals_waiting{status="pending_confirm"}': "1",
          'bursar_watcher_lag_blocks{chainId="base"}': "7",
          'bursar_watcher_final_age_seconds{chainId="base"}': "100",
          bursar_oldest_audit_entry_waiting_seconds: "190",
          'bursar_usdc_stopped{chainId="base"}': "0",
          'bursar_usdc_stopped{chainId="polygon"}': "1",
          'bursar_unread_chain_seconds{chainId="base"}': "150"
        })
        assert.notProperty(now, 'bursar_unread_chain_seconds{chainId="polygon"}')
        assert.notInclude(Object.keys(now).join(), accountId)
        const { sealed } = (yield* KeyMaterial.find(lineName)) ?? assert.fail("it is kept")
        yield* KeyMaterial.replace(lineName, sealed, "{}")
        const read = yield* figuresAt(200)
        assert.strictEqual(read['bursar_unread_chain_seconds{chainId="base"}'], "0")
      })
    )
  }
)
