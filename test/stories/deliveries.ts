/** Stories of webhooks that do not arrive at once, told in any world. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const usdc = 1_000_000n

const paidRequest = Effect.fnUntraced(function* (world: World) {
  const vault = yield* Scene.vault(world)
  const request = yield* Scene.request(world, vault.walletMappingId, 5)
  yield* world.pay(vault.address, 5n * usdc)
  yield* Scene.final(world)
  return yield* Scene.becomes(world, request.pid, "paid")
})

const deliveryThatIs = (world: World, endpointId: string, status: string) =>
  world.until(
    `a delivery of ${endpointId} is ${status}`,
    Effect.map(world.calls.list_webhook_deliveries({ endpointId }), ({ webhook_deliveries }) =>
      webhook_deliveries.find((each) => each.status === status)
    )
  )

export const deliveries: ReadonlyArray<Story> = [
  {
    title: "410 ends a delivery at once and leaves the endpoint as it is",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver, endpoint } = yield* Scene.merchant(world)
      yield* receiver.answerWith(410)
      yield* paidRequest(world)
      const gone = yield* deliveryThatIs(world, endpoint.id, "gone")
      assert.strictEqual(gone.attemptCount, 1)
      assert.strictEqual(gone.lastResponseStatus, 410)
      assert.isNull(gone.nextAttemptAt)
      const now = yield* world.calls.get_merchant_webhook({ id: endpoint.id })
      assert.strictEqual(now.status, "active")
    })
  },
  {
    title: "a dead letter is kept, listed and replayed under the same event id",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver, endpoint } = yield* Scene.merchant(world, 1)
      yield* receiver.answerWith(500)
      const paid = yield* paidRequest(world)
      const dead = yield* deliveryThatIs(world, endpoint.id, "failed")
      const listed = yield* world.calls.list_webhook_deliveries({ status: "failed" })
      assert.include(
        listed.webhook_deliveries.map((each) => each.id),
        dead.id
      )
      yield* receiver.answerWith(200)
      const replay = yield* world.calls.replay_webhook_delivery({ id: dead.id })
      assert.strictEqual(replay.eventId, dead.eventId)
      assert.strictEqual(replay.replayOf, dead.id)
      const event = yield* world.until(
        "the replayed event arrives",
        Effect.map(receiver.arrived, (events) =>
          events.length > 1 && events.at(-1)?.id === dead.eventId ? events.at(-1) : undefined
        )
      )
      assert.deepInclude(event.data.object, { paymentRequestPid: paid.pid })
      const done = yield* deliveryThatIs(world, endpoint.id, "delivered")
      const detail = yield* world.calls.get_webhook_delivery({ id: done.id })
      assert.strictEqual(detail.attempts[0]?.trigger, "manual")
      assert.strictEqual((JSON.parse(detail.body) as { id: string }).id, dead.eventId)
    })
  },
  {
    title: "a test event reaches the endpoint whatever it subscribed to",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver, endpoint } = yield* Scene.merchant(world)
      const delivery = yield* world.calls.send_merchant_webhook_test({ id: endpoint.id })
      assert.strictEqual(delivery.eventType, "webhook.test")
      const event = yield* world.until(
        "the test event arrives",
        Effect.map(receiver.arrived, (events) =>
          events.find((each) => each.type === "webhook.test")
        )
      )
      assert.deepInclude(event.data.object, { endpointId: endpoint.id })
      assert.isFalse(event.livemode)
    })
  },
  {
    title: "a deleted endpoint hears nothing more",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver, endpoint } = yield* Scene.merchant(world)
      yield* world.calls.delete_merchant_webhook({ id: endpoint.id })
      yield* paidRequest(world)
      const refused = yield* Scene.refusal(world.calls.get_merchant_webhook({ id: endpoint.id }))
      assert.strictEqual(refused.code, "NOT_FOUND")
      const { webhook_deliveries } = yield* world.calls.list_webhook_deliveries({
        endpointId: endpoint.id
      })
      assert.isEmpty(webhook_deliveries)
      assert.isEmpty(yield* receiver.arrived)
    })
  }
]
