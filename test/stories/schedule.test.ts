/** The retry schedule under a clock of its own: what a merchant who is away for days gets, to the minute. */
import { assert, describe, it } from "@effect/vitest"
import { verifyWebhook } from "../../adapters/receiver/verify.ts"
import { openTreasury, type TestTreasury } from "../../apps/testing/treasury.ts"
import { waitsMs } from "../../core/webhooks/delivery.ts"

const url = "https://merchant.example.com/webhooks"

const paidOnce = async (treasury: TestTreasury, endpointUrl = url) => {
  const { call, vault } = treasury.developer
  const endpoint = await call.create_merchant_webhook({ url: endpointUrl })
  const { pid } = await call.create_payment_request({ walletMappingId: vault.id, amountUsd: 5 })
  await treasury.pay(pid)
  await treasury.mine()
  return { pid, endpoint }
}

const onlyDelivery = async (treasury: TestTreasury, endpointId: string) => {
  const { call } = treasury.developer
  const { webhook_deliveries } = await call.list_webhook_deliveries({ endpointId })
  const [delivery] = webhook_deliveries
  assert.isDefined(delivery)
  return call.get_webhook_delivery({ id: delivery?.id as string })
}

describe("A merchant who is away", () => {
  it("gets ten attempts on the schedule, then the delivery stands as failed and can be replayed", async () => {
    const treasury = await openTreasury({ seed: 7 })
    await treasury.route(url, { _tag: "answers", status: 503 })
    const { endpoint } = await paidOnce(treasury)
    await treasury.advance("5 days")
    const failed = await onlyDelivery(treasury, endpoint.id)
    assert.strictEqual(failed.status, "failed")
    assert.strictEqual(failed.attemptCount, 10)
    assert.isNull(failed.nextAttemptAt)
    const times = failed.attempts.map((attempt) => Date.parse(attempt.at))
    for (const [index, scheduledMs] of waitsMs.entries()) {
      const gapMs = (times[index + 1] as number) - (times[index] as number)
      assert.isAtLeast(gapMs, scheduledMs * 0.8, `gap ${index + 1}`)
      assert.isAtMost(gapMs, scheduledMs * 1.2, `gap ${index + 1}`)
    }
    const { webhook_deliveries } = await treasury.developer.call.list_webhook_deliveries({
      status: "failed"
    })
    assert.strictEqual(webhook_deliveries.length, 1)
    await treasury.route(url, { _tag: "answers", status: 200 })
    await treasury.developer.call.replay_webhook_delivery({ id: failed.id })
    const carried = await treasury.webhooks()
    assert.strictEqual(carried.length, 11)
    assert.strictEqual(new Set(carried.map((each) => each.headers["svc-webhook-id"])).size, 1)
    assert.strictEqual(new Set(carried.map((each) => each.body)).size, 1)
    assert.strictEqual(
      new Set(carried.map((each) => each.headers["svc-webhook-timestamp"])).size,
      11
    )
    for (const webhook of carried) {
      const nowSeconds = Math.floor(Date.parse(webhook.at) / 1000)
      verifyWebhook({ ...webhook, secret: endpoint.secret as string, nowSeconds })
    }
    await treasury.close()
  })

  it("gets no more attempts than the endpoint allows", async () => {
    const treasury = await openTreasury()
    await treasury.route(url, { _tag: "answers", status: 500 })
    const { endpoint } = await paidOnce(treasury)
    await treasury.developer.call.update_merchant_webhook({ id: endpoint.id, maxAttempts: 3 })
    const { pid } = await treasury.developer.call.create_payment_request({
      walletMappingId: treasury.developer.vault.id,
      amountUsd: 6
    })
    await treasury.pay(pid)
    await treasury.mine()
    await treasury.advance("5 days")
    const { webhook_deliveries } = await treasury.developer.call.list_webhook_deliveries({})
    assert.deepEqual(webhook_deliveries.map((each) => each.attemptCount).sort(), [10, 3])
    await treasury.close()
  })

  it("never delays another: a healthy endpoint hears at once beside one that hangs", async () => {
    const treasury = await openTreasury()
    const healthy = "https://healthy.example.com/webhooks"
    await treasury.route(url, { _tag: "silent" })
    await treasury.route(healthy, { _tag: "answers", status: 200 })
    const { call, vault } = treasury.developer
    const hanging = await call.create_merchant_webhook({ url })
    for (let sent = 0; sent < 300; sent++) await call.send_merchant_webhook_test({ id: hanging.id })
    const sentAt = await treasury.now()
    const endpoint = await call.create_merchant_webhook({ url: healthy })
    await call.send_merchant_webhook_test({ id: endpoint.id })
    const delivered = await onlyDelivery(treasury, endpoint.id)
    assert.strictEqual(delivered.status, "delivered")
    assert.strictEqual(delivered.attempts[0]?.at, sentAt)
    const inFlight = (await treasury.webhooks()).filter((each) => each.url === url)
    assert.strictEqual(inFlight.length, 4)
    assert.isNotEmpty(vault.id)
    await treasury.close()
  })
})
