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
  },
  {
    title:
      "what a disabled endpoint missed is kept and recovered once, each event under its own id",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver, endpoint } = yield* Scene.merchant(world)
      const { calls } = world
      const { id } = endpoint
      const since = endpoint.createdAt
      assert.strictEqual((yield* calls.disable_merchant_webhook({ id })).status, "disabled")
      yield* paidRequest(world)
      const missed = yield* deliveryThatIs(world, id, "skipped")
      const early = yield* Scene.refusal(calls.recover_merchant_webhook({ id, since }))
      assert.strictEqual(early.code, "INVALID_REQUEST")
      assert.strictEqual((yield* calls.enable_merchant_webhook({ id })).status, "active")
      const until = "2999-01-01T00:00:00Z"
      const first = yield* calls.recover_merchant_webhook({ id, since, until })
      assert.deepStrictEqual(first, {
        id,
        recovered: 1,
        failed: 0,
        skipped: 1,
        gone: 0,
        hasMore: false,
        nextCursor: null
      })
      const again = yield* calls.recover_merchant_webhook({ id, since, until })
      assert.strictEqual(again.recovered, 0)
      const done = yield* deliveryThatIs(world, id, "delivered")
      assert.strictEqual(done.replayOf, missed.id)
      assert.strictEqual(done.sequence, 1)
      const arrived = yield* receiver.arrived
      assert.deepStrictEqual(
        arrived.map((event) => event.id),
        [missed.eventId]
      )
      const { entries } = yield* calls.list_audit_log({ limit: 100 })
      const told = entries.filter(({ subjectId }) => subjectId === id).map(({ action }) => action)
      assert.sameMembers(told, [
        "merchant_webhook.created",
        "merchant_webhook.disabled",
        "merchant_webhook.enabled",
        "merchant_webhook.recovered",
        "merchant_webhook.recovered"
      ])
    })
  },
  {
    title: "a rotated secret signs alone, or beside the one before it for as long as was asked",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver, endpoint } = yield* Scene.merchant(world)
      const { calls } = world
      const { id } = endpoint
      const arrives = Effect.gen(function* () {
        const { eventId } = yield* calls.send_merchant_webhook_test({ id })
        yield* world.until(
          `${eventId} arrives and verifies`,
          Effect.map(receiver.arrived, (events) => events.find((each) => each.id === eventId))
        )
      })
      const graceful = yield* calls.rotate_merchant_webhook_secret({ id, gracePeriodSeconds: 3600 })
      assert.notStrictEqual(graceful.secret, endpoint.secret)
      assert.isNotNull(graceful.previousSecretEndsAt)
      // The receiver still trusts the old secret, and then the new one.
      yield* arrives
      yield* receiver.trust(graceful.secret as string)
      yield* arrives
      const abrupt = yield* calls.rotate_merchant_webhook_secret({ id })
      assert.isNull(abrupt.previousSecretEndsAt)
      yield* calls.send_merchant_webhook_test({ id })
      yield* world.until(
        "a test does not verify",
        Effect.map(receiver.rejected, (count) => (count > 0 ? count : undefined))
      )
      yield* receiver.trust(abrupt.secret as string)
      yield* arrives
      assert.notProperty(yield* calls.get_merchant_webhook({ id }), "secret")
    })
  }
]
