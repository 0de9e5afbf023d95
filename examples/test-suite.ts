/**
 * How to test your own billing: the whole treasury in memory, with a chain you mine, endpoints you script
 * and a clock you turn. Any test runner will do; this one is Node's. Run it with `node --test`.
 */
import assert from "node:assert/strict"
import { test } from "node:test"
import { openTreasury } from "bursar/testing"
import { verifyWebhook } from "bursar/webhooks"

const url = "https://shop.example.com/webhooks"

/** A treasury, and a shop in it that listens; the shop answers each status in turn, then the last. */
const openShop = async (...answers: ReadonlyArray<number>) => {
  const treasury = await openTreasury()
  const [first = { _tag: "answers", status: 200 }, ...then] = answers.map(
    (status) => ({ _tag: "answers", status }) as const
  )
  await treasury.route(url, first, ...then)
  const { call, vault } = treasury.developer
  const { secret = "" } = await call.create_merchant_webhook({
    url,
    events: ["payment_request.paid", "payment_request.expired"]
  })
  const invoice = (externalReference: string) =>
    call.create_payment_request({
      walletMappingId: vault.id,
      amountUsd: 49,
      externalReference,
      expiryDays: 1
    })
  /** What the shop was told so far, verified as it does in production. */
  const heard = async () =>
    (await treasury.webhooks()).map(({ body, headers, at }) => {
      const event = verifyWebhook({ body, headers, secret, nowSeconds: Date.parse(at) / 1000 })
      return event.type
    })
  return { ...treasury, call, heard, invoice }
}

test("an order is paid once its transfer is final", async () => {
  const shop = await openShop()
  const { pid } = await shop.invoice("order-1001")
  await shop.pay(pid)
  assert.deepEqual(await shop.heard(), [])
  await shop.mine()
  assert.deepEqual(await shop.heard(), ["payment_request.paid"])
  const { status, amountReceivedSmallestUnit } = await shop.call.get_payment_request({
    idOrPid: pid
  })
  assert.deepEqual([status, amountReceivedSmallestUnit], ["paid", "49000000"])
  await shop.close()
})

test("an order that nobody pays expires after its day", async () => {
  const shop = await openShop()
  const { pid } = await shop.invoice("order-1002")
  await shop.advance("25 hours")
  await shop.mine()
  assert.deepEqual(await shop.heard(), ["payment_request.expired"])
  assert.equal((await shop.call.get_payment_request({ idOrPid: pid })).status, "expired")
  await shop.close()
})

test("a shop that was down hears of the payment when it is back", async () => {
  const shop = await openShop(503, 503, 200)
  const { pid } = await shop.invoice("order-1003")
  await shop.pay(pid)
  await shop.mine()
  await shop.advance("1 hour")
  assert.equal((await shop.heard()).length, 3)
  const { webhook_deliveries: deliveries } = await shop.call.list_webhook_deliveries({})
  assert.deepEqual(
    deliveries.map(({ attemptCount, status }) => [attemptCount, status]),
    [[3, "delivered"]]
  )
  await shop.close()
})
