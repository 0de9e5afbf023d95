/** What every bridge must do: the table of routes, quotes, and the standing of what left, whoever brings it there. */
import { assert, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import type { TransactionId } from "../../core/chains/address.ts"
import type { Asked, Bridge, Journey, Standing } from "../../core/ports/bridge.ts"

/** A bridge with a wallet that has plenty at its source, and a world that does what a test says. */
export interface Harness {
  readonly bridge: Bridge
  readonly asked: Asked
  /** A journey of what was asked, as the best offer has it, under an identity of its own. */
  readonly journey: (over?: Partial<Journey>) => Effect.Effect<Journey>
  /** The wallet does what departs; the transaction. */
  readonly depart: (journey: Journey) => Effect.Effect<TransactionId>
  /** All that is in blocks becomes final, and whoever has to attest has seen it. */
  readonly settle: Effect.Effect<void>
  /** Whoever brings such things there does, once it may be brought; whether it was executed. */
  readonly bring: (standing: Standing) => Effect.Effect<boolean>
  /** Three who know nothing of each other bring it there at the same moment; how many were executed. */
  readonly race: (standing: Standing, journey: Journey) => Effect.Effect<number>
  readonly received: Effect.Effect<bigint>
  /** Somebody else at the destination, where the sender cannot be one. */
  readonly otherReceiver?: Journey["receiver"]
  /** Whether the provider has a say in how something stands. */
  readonly isAskedOnTheWay: boolean
  /** Whether the chain tells by the identity alone what left, or only by all that left under it. */
  readonly isFoundByIdentity: boolean
  readonly provider: (
    how: "answers" | "is away" | "is behind" | "holds back"
  ) => Effect.Effect<void>
}

export const suite = (
  name: string,
  open: Effect.Effect<Harness, never, Scope.Scope>,
  { absentId }: { readonly absentId: string }
) => {
  const test = (title: string, body: (world: Harness) => Effect.Effect<void, unknown>) =>
    it.live(`${name}: ${title}`, () => Effect.scoped(Effect.flatMap(open, body)), 60_000)

  const tagOf = (standing: Standing) => standing._tag

  test("an offer never promises more than was given, nor less than its minimum", ({
    asked,
    bridge
  }) =>
    Effect.gen(function* () {
      for (const offer of yield* bridge.quote(asked)) {
        assert.isAtMost(Number(offer.buyUnits), Number(asked.units))
        assert.isAtMost(Number(offer.minBuyUnits), Number(offer.buyUnits))
        assert.isAbove(offer.estimatedSeconds, 0)
      }
    }))

  test("what a route says it carries is carried, and what it does not is refused", ({
    asked,
    bridge
  }) =>
    Effect.gen(function* () {
      for (const { from, maxUnits, minUnits, to } of bridge.routes) {
        yield* bridge.quote({ from, to, units: asked.units })
        const small = yield* Effect.flip(bridge.quote({ from, to, units: minUnits - 1n }))
        assert.strictEqual(small._tag, "OutOfBounds")
        if (maxUnits === null) continue
        const large = yield* Effect.flip(bridge.quote({ from, to, units: maxUnits + 1n }))
        assert.strictEqual(large._tag, "OutOfBounds")
      }
      const { from } = asked
      const nowhere = yield* Effect.flip(bridge.quote({ ...asked, to: from }))
      assert.strictEqual(nowhere._tag, "NoRoute")
    }))

  test("the same journey departs by the same call, and any other by another", ({
    bridge,
    journey,
    otherReceiver
  }) =>
    Effect.gen(function* () {
      const one = yield* journey()
      assert.deepStrictEqual(bridge.departure(one), bridge.departure({ ...one }))
      const others: ReadonlyArray<Partial<Journey>> = [
        { units: one.units + 1n },
        { minBuyUnits: one.minBuyUnits - 1n },
        {
          receiver: otherReceiver ?? (one.sender === one.receiver ? one.from.token : one.sender)
        },
        { identity: "ab".repeat(32) }
      ]
      for (const other of others) {
        const { call } = bridge.departure({ ...one, ...other })
        assert.notDeepEqual(call, bridge.departure(one).call)
      }
    }))

  test("a journey is open until it left, and then it is found again by its identity", ({
    bridge,
    depart,
    isFoundByIdentity,
    journey,
    settle
  }) =>
    Effect.gen(function* () {
      const one = yield* journey()
      assert.deepStrictEqual(yield* bridge.start(one), { _tag: "open" })
      const txId = yield* depart(one)
      assert.deepInclude(yield* bridge.start(one), { _tag: "left", txId })
      yield* settle
      assert.deepStrictEqual(yield* bridge.start(one), { _tag: "left", txId, isFinal: true })
      if (isFoundByIdentity) {
        const more = { ...one, units: one.units + 1n }
        assert.deepStrictEqual(yield* bridge.start(more), { _tag: "taken", txId, isFinal: true })
      }
      assert.deepStrictEqual(yield* bridge.start(yield* journey()), { _tag: "open" })
    }))

  test("what left arrives once, by whoever brings it", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, depart, journey, provider, received, settle } = world
      const one = yield* journey()
      yield* provider("holds back")
      const txId = yield* depart(one)
      yield* settle
      assert.strictEqual(tagOf(yield* bridge.status(one, txId)), "travelling")
      yield* provider("answers")
      const standing = yield* bridge.status(one, txId)
      const before = yield* received
      assert.isTrue(yield* bring(standing))
      assert.isFalse(yield* bring(standing), "it is delivered once")
      const arrived = (yield* received) - before
      assert.isAtLeast(Number(arrived), Number(one.minBuyUnits))
      yield* settle
      const there = yield* bridge.status(one, txId)
      assert(there._tag === "delivered")
      assert.deepInclude(there, { units: arrived, isFinal: true })
    }))

  test("of three who bring it there at the same moment one does, and it arrives once", (world) =>
    Effect.gen(function* () {
      const { bridge, depart, journey, provider, race, received, settle } = world
      const one = yield* journey()
      yield* provider("holds back")
      const txId = yield* depart(one)
      yield* settle
      yield* provider("answers")
      const standing = yield* bridge.status(one, txId)
      const before = yield* received
      assert.strictEqual(yield* race(standing, one), 1)
      yield* settle
      const there = yield* bridge.status(one, txId)
      assert(there._tag === "delivered", there._tag)
      assert.deepInclude(there, { units: (yield* received) - before, isFinal: true })
    }))

  test("nothing is said of what never left", ({ bridge, journey }) =>
    Effect.gen(function* () {
      const standing = yield* bridge.status(yield* journey(), absentId as TransactionId)
      assert.strictEqual(standing._tag, "absent")
    }))

  test("a provider that is away or behind loses nothing", (world) =>
    Effect.gen(function* () {
      const { bridge, bring, depart, isAskedOnTheWay, journey, provider, settle } = world
      const one = yield* journey()
      const txId = yield* depart(one)
      yield* settle
      yield* provider("is away")
      if (isAskedOnTheWay) {
        const away = yield* Effect.flip(bridge.status(one, txId))
        assert.strictEqual(away._tag, "BridgeUnavailable")
      }
      const unquoted = yield* Effect.flip(bridge.quote(world.asked))
      assert.strictEqual(unquoted._tag, "BridgeUnavailable")
      yield* provider("is behind")
      assert.strictEqual(tagOf(yield* bridge.status(one, txId)), "travelling")
      yield* provider("answers")
      assert.isTrue(yield* bring(yield* bridge.status(one, txId)))
    }))
}
