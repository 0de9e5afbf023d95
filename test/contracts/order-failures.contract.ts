/** What every bridge by limit orders must do when nobody fills an order, or somebody meddles with it: the first to come counts. */
import { assert, it } from "@effect/vitest"
import { Effect, type Schema, type Scope } from "effect"
import type { Journey } from "../../core/ports/bridge.ts"
import type { Harness } from "./bridges.contract.ts"

export interface OrderHarness extends Harness {
  /** Somebody makes the call that takes an order back; whether the destination let them. */
  readonly takeBack: (
    by: "receiver" | "stranger",
    journey: Journey,
    call: Schema.JsonObject
  ) => Effect.Effect<boolean>
  /** Whoever carries such things to the source does. */
  readonly giveBack: Effect.Effect<void>
  /** What the sender of orders holds at the source. */
  readonly sent: Effect.Effect<bigint>
}

export const suite = (
  name: string,
  open: Effect.Effect<OrderHarness, never, Scope.Scope>
): void => {
  const test = (title: string, body: (world: OrderHarness) => Effect.Effect<void, unknown>) =>
    it.live(`${name}: ${title}`, () => Effect.scoped(Effect.flatMap(open, body)), 60_000)

  /** An order that nobody fills, and the call that takes it back. */
  const unfilled = Effect.fnUntraced(function* (world: OrderHarness) {
    const { bridge, depart, journey, provider, settle } = world
    yield* provider("holds back")
    const one = yield* journey()
    const txId = yield* depart(one)
    yield* settle
    const refund = yield* bridge.refund(one, txId)
    assert(refund._tag === "cancellable", refund._tag)
    return { one, txId, call: refund.call }
  })

  test("what nobody fills is taken back, comes back whole, and is not filled after that", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, giveBack, provider, received, sent, settle, takeBack } = world
      const before = yield* sent
      const { call, one, txId } = yield* unfilled(world)
      assert.isTrue(bridge.isArrival(one, call))
      assert.strictEqual(yield* sent, before - one.units)
      const got = yield* received
      assert.isTrue(yield* takeBack("receiver", one, call))
      assert.isFalse(yield* takeBack("receiver", one, call), "it counts once")
      assert.strictEqual((yield* bridge.status(one, txId))._tag, "cancelled")
      assert.strictEqual((yield* bridge.refund(one, txId))._tag, "returning")
      yield* provider("answers")
      assert.isFalse(yield* bring(yield* bridge.status(one, txId)), "nobody fills it any more")
      yield* giveBack
      yield* settle
      const back = yield* bridge.refund(one, txId)
      assert(back._tag === "returned", back._tag)
      assert.deepInclude(back, { units: one.units, isFinal: true })
      assert.strictEqual(yield* sent, before)
      assert.strictEqual(yield* received, got)
    }))

  test("a stranger takes nothing back", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, provider, takeBack } = world
      const { call, one, txId } = yield* unfilled(world)
      assert.isFalse(yield* takeBack("stranger", one, call))
      assert.strictEqual((yield* bridge.refund(one, txId))._tag, "cancellable")
      yield* provider("answers")
      assert.isTrue(yield* bring(yield* bridge.status(one, txId)))
    }))

  test("what was filled first is not taken back", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, provider, settle, takeBack } = world
      const { call, one, txId } = yield* unfilled(world)
      yield* provider("answers")
      assert.isTrue(yield* bring(yield* bridge.status(one, txId)))
      assert.isFalse(yield* takeBack("receiver", one, call))
      assert.strictEqual((yield* bridge.refund(one, txId))._tag, "delivered")
      yield* settle
      const there = yield* bridge.status(one, txId)
      assert(there._tag === "delivered", there._tag)
      assert.deepInclude(there, { units: one.minBuyUnits, isFinal: true })
    }))

  test("while the service is away, the chains alone say what became of an order", (world) =>
    Effect.gen(function* () {
      const { bridge, provider, takeBack } = world
      const { call, one, txId } = yield* unfilled(world)
      yield* provider("is away")
      assert.strictEqual((yield* bridge.status(one, txId))._tag, "travelling")
      assert.isTrue(yield* takeBack("receiver", one, call))
      assert.strictEqual((yield* bridge.status(one, txId))._tag, "cancelled")
      assert.strictEqual((yield* Effect.flip(bridge.quote(world.asked)))._tag, "BridgeUnavailable")
    }))

  test("an order of anything else is another order, and is told as such", (world) =>
    Effect.gen(function* () {
      const { bridge } = world
      const { one, txId } = yield* unfilled(world)
      const changes: ReadonlyArray<Partial<Journey>> = [
        { minBuyUnits: one.minBuyUnits + 1n },
        { receiver: one.sender }
      ]
      for (const change of changes) {
        const refused = yield* Effect.flip(bridge.status({ ...one, ...change }, txId))
        assert.strictEqual(refused._tag, "BridgeContradicted")
      }
      const unknown = yield* bridge.status({ ...one, identity: "cd".repeat(32) }, txId)
      assert.strictEqual(unknown._tag, "absent")
    }))
}
