/** An endpoint that fails for a while, under a clock of its own: what its merchant can see, and what it costs nobody. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { openTreasury, type TestTreasury } from "../../apps/testing/treasury.ts"
import { emit } from "../../core/webhooks/emit.ts"
import * as Rows from "../support/rows.ts"

const url = "https://merchant.example.com/webhooks"

const actionsOf = async ({ developer }: TestTreasury, subjectId: string) => {
  const { entries } = await developer.call.list_audit_log({ limit: 100 })
  return entries.filter((entry) => entry.subjectId === subjectId).map(({ action }) => action)
}

it("is called failing after a minute, is sent one at a time, and is active again with its first success", async () => {
  const treasury = await openTreasury({ seed: 3 })
  const { call } = treasury.developer
  await treasury.route(url, { _tag: "silent" })
  const { id } = await call.create_merchant_webhook({ url })
  for (let sent = 0; sent < 40; sent++) await call.send_merchant_webhook_test({ id })
  const carried = async () => (await treasury.webhooks()).length
  const statusNow = async () => (await call.get_merchant_webhook({ id })).status
  // Four at once, ten seconds each.
  await treasury.advance("69 seconds")
  assert.strictEqual(await carried(), 28)
  assert.strictEqual(await statusNow(), "active")
  await treasury.advance("2 seconds")
  assert.strictEqual(await statusNow(), "failing")
  const before = await carried()
  await treasury.advance("60 seconds")
  assert.isAtMost((await carried()) - before, 6)
  const { webhook_deliveries } = await call.list_webhook_deliveries({ limit: 100 })
  const attempts = webhook_deliveries.reduce((sum, each) => sum + each.attemptCount, 0)
  assert.isAtMost((await carried()) - attempts, 1)
  await treasury.route(url, { _tag: "answers", status: 200 })
  await treasury.advance("11 minutes")
  const healthy = await call.get_merchant_webhook({ id })
  assert.strictEqual(healthy.status, "active")
  assert.isNull(healthy.failingSince)
  const { webhook_deliveries: after } = await call.list_webhook_deliveries({ limit: 100 })
  assert.deepStrictEqual(new Set(after.map(({ status }) => status)), new Set(["delivered"]))
  const sequences = after.map(({ sequence }) => Number(sequence)).sort((a, b) => a - b)
  assert.deepStrictEqual(
    sequences,
    Array.from({ length: 40 }, (_, at) => at + 1)
  )
  const told = (await actionsOf(treasury, id)).filter((action) => !action.endsWith(".tested"))
  assert.deepStrictEqual(told, [
    "merchant_webhook.healthy",
    "merchant_webhook.failing",
    "merchant_webhook.created"
  ])
  await treasury.close()
})

it("answers 410 to one delivery without being called failing for it", async () => {
  const treasury = await openTreasury()
  const { call } = treasury.developer
  await treasury.route(url, { _tag: "answers", status: 410 })
  const { id } = await call.create_merchant_webhook({ url })
  for (let hour = 0; hour < 8; hour++) {
    await call.send_merchant_webhook_test({ id })
    await treasury.advance("1 hour")
  }
  assert.strictEqual((await call.get_merchant_webhook({ id })).status, "active")
  await treasury.close()
})

it("tells the order of a request's events by their versions, whoever subscribed to what", async () => {
  const treasury = await openTreasury()
  const { call } = treasury.developer
  await call.create_merchant_webhook({ url, events: ["payment_request.paid"] })
  await treasury.route(url, { _tag: "answers", status: 200 })
  const externalId = "user_42"
  const job = await call.create_provisioning_job({ chainId: "local", customers: [{ externalId }] })
  await treasury.advance("1 second")
  assert.strictEqual((await call.get_provisioning_job({ jobId: job.jobId })).status, "completed")
  const { pid } = await call.create_checkout_session({ customer: { externalId }, amountUsd: 5 })
  await treasury.advance("1 second")
  await treasury.pay(pid)
  await treasury.mine()
  const { events } = await call.list_events({ paymentRequestPid: pid })
  assert.deepStrictEqual(
    events.map(({ type, version }) => [type, version]),
    [
      ["payment_request.paid", 2],
      ["payment_request.created", 1]
    ]
  )
  const [webhook] = await treasury.webhooks()
  assert.deepInclude(webhook?.event.data, { version: 2 })
  assert.strictEqual(webhook?.headers["svc-webhook-sequence"], "1")
  await treasury.close()
})

it("recovers a hundred events a call, the oldest first, until none is left", async () => {
  const treasury = await openTreasury()
  const { accountId, call } = treasury.developer
  const { id, createdAt } = await call.create_merchant_webhook({ url })
  await treasury.route(url, { _tag: "answers", status: 200 })
  await call.disable_merchant_webhook({ id })
  await treasury.operate(
    Effect.forEach(
      Array.from({ length: 101 }, (_, n) => `pr_${n}`),
      (pid) => emit("payment_request.paid", Rows.anEventSubject(accountId, pid), {}),
      { discard: true }
    )
  )
  await call.enable_merchant_webhook({ id })
  await treasury.advance("1 second")
  const span = { id, since: createdAt, status: "skipped" as const }
  const first = await call.recover_merchant_webhook(span)
  assert.deepInclude(first, { recovered: 100, skipped: 100, failed: 0, hasMore: true })
  const again = await call.recover_merchant_webhook(span)
  assert.deepInclude(again, { recovered: 0, hasMore: true })
  const cursor = first.nextCursor ?? assert.fail("there is no next page")
  const second = await call.recover_merchant_webhook({ ...span, cursor })
  assert.deepInclude(second, { recovered: 1, hasMore: false, nextCursor: null })
  await treasury.advance("1 minute")
  const heard = (await treasury.webhooks()).map(({ event }) => event.id)
  assert.lengthOf(heard, 101)
  assert.strictEqual(new Set(heard).size, 101)
  await treasury.close()
})

it.each([
  ["when no end is named", undefined],
  ["when an end is named that is still to come", "2100-01-01T00:00:00Z"]
])("comes to an end with an endpoint that loses again what it is sent, %s", async (_, until) => {
  const treasury = await openTreasury()
  const { accountId, call } = treasury.developer
  const { id, createdAt } = await call.create_merchant_webhook({ url })
  await treasury.route(url, { _tag: "answers", status: 410 })
  await treasury.operate(
    Effect.forEach(
      Array.from({ length: 130 }, (_, n) => `pr_${n}`),
      (pid) => emit("payment_request.paid", Rows.anEventSubject(accountId, pid), {}),
      { discard: true }
    )
  )
  await treasury.advance("1 minute")
  const span = {
    ...{ id, since: createdAt, status: "gone" as const },
    ...(until === undefined ? {} : { until })
  }
  const first = await call.recover_merchant_webhook(span)
  assert.deepInclude(first, { recovered: 100, gone: 100, hasMore: true })
  await treasury.advance("1 minute")
  const cursor = first.nextCursor ?? assert.fail("there is no next page")
  const second = await call.recover_merchant_webhook({ ...span, cursor })
  assert.deepInclude(second, { recovered: 30, hasMore: false, nextCursor: null })
  await treasury.close()
})
