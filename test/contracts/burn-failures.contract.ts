/** What every bridge that burns and mints must do when its attesters lie or are late, or its chain takes a burn back. */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { Harness } from "./bridges.contract.ts"

export interface BurnHarness extends Harness {
  /** From now on the attesters claim another amount than was burnt. */
  readonly lie: Effect.Effect<void>
  /** What the attesters have signed so far is taken no more, unless it is signed anew. */
  readonly runOut: Effect.Effect<void>
  /** The source drops its newest blocks, with all that is in them. */
  readonly dropBurn: Effect.Effect<void>
}

export const suite = (name: string, open: Effect.Effect<BurnHarness, never, Scope.Scope>): void => {
  const test = (title: string, body: (world: BurnHarness) => Effect.Effect<void, unknown>) =>
    it.live(`${name}: ${title}`, () => Effect.scoped(Effect.flatMap(open, body)), 60_000)

  test("what is attested of another amount is not brought", ({
    bridge,
    depart,
    journey,
    lie,
    settle
  }) =>
    Effect.gen(function* () {
      const one = yield* journey()
      yield* lie
      const txId = yield* depart(one)
      yield* settle
      assert.strictEqual((yield* Effect.flip(bridge.status(one, txId)))._tag, "BridgeContradicted")
    }))

  test("what ran out is attested anew, and then brought", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, depart, journey, runOut, settle } = world
      yield* runOut
      const one = yield* journey()
      const txId = yield* depart(one)
      yield* settle
      const late = yield* bridge.status(one, txId)
      assert(late._tag === "travelling", late._tag)
      assert.match(late.reason ?? "", /ran out/u)
      assert.isTrue(yield* bring(yield* bridge.status(one, txId)))
    }))

  test("a burn that the chain took back is none, and may be made again, once", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, depart, dropBurn, journey, received, settle } = world
      const one = yield* journey()
      const lost = yield* depart(one)
      yield* dropBurn
      assert.strictEqual((yield* bridge.status(one, lost))._tag, "absent")
      assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
      const txId = yield* depart(one)
      yield* settle
      const before = yield* received
      const standing = yield* bridge.status(one, txId)
      assert.isTrue(yield* bring(standing))
      assert.isFalse(yield* bring(standing))
      assert.isAtLeast(Number((yield* received) - before), Number(one.minBuyUnits))
    }))

  test("nothing that was burnt is given back, however late it is", (world) =>
    Effect.gen(function* () {
      const { bridge, depart, journey, provider, settle } = world
      yield* provider("holds back")
      const one = yield* journey()
      const txId = yield* depart(one)
      yield* settle
      assert.deepStrictEqual(yield* bridge.refund(one, txId), { _tag: "never" })
      assert.strictEqual((yield* bridge.status(one, txId))._tag, "travelling")
    }))

  test("whoever brought it first, it is seen as brought", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, depart, journey, provider, settle } = world
      const one = yield* journey()
      const txId = yield* depart(one)
      yield* settle
      assert.isTrue(yield* bring(yield* bridge.status(one, txId)))
      yield* settle
      yield* provider("answers")
      const there = yield* bridge.status(one, txId)
      assert(there._tag === "delivered", there._tag)
      assert.isTrue(there.isFinal)
    }))
}
