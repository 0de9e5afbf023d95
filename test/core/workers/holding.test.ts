/** What a process does with the leases it holds: it keeps them while it can, and gives its work up in time. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Holding from "../../../core/background/holding.ts"
import type { Release, Renew } from "../../../core/ports/leases.ts"

/** The leases of a queue whose database may be away, and when each ends. */
const aQueue = () => {
  const endsAtMs = new Map<string, number>()
  const beats: Array<ReadonlyArray<string>> = []
  const released: Array<string> = []
  const state: { answer: "extends" | "fails" | "hangs" } = { answer: "extends" }
  const renew: Renew = ({ held, leaseMs, now }) =>
    Effect.suspend(() => {
      if (state.answer === "fails") return Effect.die(new Error("The database is away."))
      if (state.answer === "hangs") return Effect.never
      const current = held.map(({ lease }) => lease).filter((lease) => endsAtMs.has(lease))
      beats.push(current)
      for (const lease of current) endsAtMs.set(lease, DateTime.toEpochMillis(now) + leaseMs)
      return Effect.succeed(current)
    })
  const release: Release = (held) =>
    Effect.suspend(() => {
      if (state.answer === "fails") return Effect.die(new Error("The database is away."))
      if (state.answer === "hangs") return Effect.never
      for (const { lease } of held) {
        endsAtMs.delete(lease)
        released.push(lease)
      }
      return Effect.void
    })
  return { endsAtMs, beats, released, state, renew, release }
}

const opened = Effect.fnUntraced(function* () {
  const queue = aQueue()
  const holding = yield* Holding.make("Testing", queue)
  const ended = new Map<string, number>()
  /** Begins work that never ends by itself, claimed so long ago. */
  const begin = Effect.fnUntraced(function* (lease: string, agoMs = 0) {
    const nowMs = yield* Holding.elapsedMs
    queue.endsAtMs.set(lease, nowMs - agoMs + Holding.claimMs)
    const noteEnd = Effect.map(Holding.elapsedMs, (atMs) => ended.set(lease, atMs))
    const work = Effect.onInterrupt(Effect.never, () => noteEnd)
    yield* holding.begin({ id: lease, lease }, nowMs - agoMs, work)
  })
  return { ...queue, holding, ended, begin }
})

const nobodyMayHaveIt = (endsAtMs: Map<string, number>, ended: Map<string, number>) => {
  for (const [lease, atMs] of ended) assert.isBelow(atMs, endsAtMs.get(lease) ?? 0)
}

describe("leases that a process holds", () => {
  it.effect("are all extended by one beat for as long as the work lasts", () =>
    Effect.gen(function* () {
      const { begin, beats, ended, endsAtMs, holding } = yield* opened()
      yield* begin("one")
      yield* begin("two")
      for (let second = 1; second <= 60; second++) {
        yield* TestClock.adjust("1 second")
        const nowMs = yield* Holding.elapsedMs
        for (const endMs of endsAtMs.values()) assert.isAbove(endMs, nowMs)
      }
      assert.strictEqual(ended.size, 0)
      assert.deepStrictEqual(beats[0], ["one", "two"])
      assert.isAtMost(beats.length, 60)
      assert.strictEqual(holding.room(5), 3)
    })
  )

  it.effect("need no beat when nothing is held", () =>
    Effect.gen(function* () {
      const { beats, holding } = yield* opened()
      yield* holding.begin({ id: "short", lease: "short" }, yield* Holding.elapsedMs, Effect.void)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(beats.length, 0)
      assert.strictEqual(holding.room(5), 5)
    })
  )

  for (const answer of ["fails", "hangs"] as const) {
    it.effect(`are given up before they end when the database ${answer}, and none is begun`, () =>
      Effect.gen(function* () {
        const { begin, ended, endsAtMs, holding, state } = yield* opened()
        yield* begin("long")
        yield* TestClock.adjust("20 seconds")
        yield* begin("fresh")
        state.answer = answer
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual([...ended.keys()], ["fresh"])
        assert.strictEqual(holding.room(5), 0)
        yield* TestClock.adjust("10 seconds")
        // With nothing left to lose, a claim may find out whether the database is back.
        assert.strictEqual(holding.room(5), 5)
        assert.sameMembers([...ended.keys()], ["long", "fresh"])
        nobodyMayHaveIt(endsAtMs, ended)
        state.answer = "extends"
        yield* begin("again")
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual(holding.room(5), 4)
      })
    )
  }

  it.effect("leave nobody waiting when a beat fails after all work has ended", () =>
    Effect.gen(function* () {
      const { begin, holding, state } = yield* opened()
      const answered = yield* Deferred.make<void>()
      const held = { id: "one", lease: "one" }
      yield* holding.begin(held, yield* Holding.elapsedMs, Deferred.await(answered))
      state.answer = "hangs"
      yield* TestClock.adjust("2 seconds")
      yield* Deferred.succeed(answered, undefined)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(holding.room(5), 5)
      state.answer = "extends"
      yield* begin("two")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(holding.room(5), 4)
    })
  )

  it.effect("go on when a beat fails and a later one does not", () =>
    Effect.gen(function* () {
      const { begin, ended, holding, state } = yield* opened()
      yield* begin("one")
      state.answer = "fails"
      yield* TestClock.adjust("3500 millis")
      assert.strictEqual(holding.room(5), 0)
      state.answer = "extends"
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(ended.size, 0)
      assert.strictEqual(holding.room(5), 4)
    })
  )

  it.effect("that another took are given up, and the others are kept", () =>
    Effect.gen(function* () {
      const { begin, ended, endsAtMs } = yield* opened()
      yield* begin("kept")
      yield* begin("lost")
      yield* TestClock.adjust("10 seconds")
      endsAtMs.delete("lost")
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual([...ended.keys()], ["lost"])
    })
  )

  it.effect("are not begun under when the claim took as long as they last", () =>
    Effect.gen(function* () {
      const { begin, beats, holding } = yield* opened()
      yield* TestClock.adjust("1 minute")
      yield* begin("stale", Holding.claimMs)
      assert.strictEqual(holding.room(5), 5)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(beats.length, 0)
    })
  )

  for (const answer of ["fails", "hangs"] as const) {
    it.effect(
      `are given back once the database that ${answer} hears it, by work that has ended`,
      () =>
        Effect.gen(function* () {
          const { begin, holding, released, state } = yield* opened()
          const mayEnd = yield* Deferred.make<void>()
          const atWork = Effect.uninterruptible(Deferred.await(mayEnd))
          yield* begin("ended")
          yield* holding.begin({ id: "at", lease: "at work" }, yield* Holding.elapsedMs, atWork)
          state.answer = answer
          yield* TestClock.adjust("20 seconds")
          assert.strictEqual(holding.room(5), 5)
          state.answer = "extends"
          yield* TestClock.adjust("20 seconds")
          assert.deepStrictEqual(released, [])
          yield* Deferred.succeed(mayEnd, undefined)
          yield* TestClock.adjust("1 milli")
          assert.deepStrictEqual(released, ["ended", "at work"])
          yield* TestClock.adjust("1 minute")
          assert.lengthOf(released, 2)
        })
    )
  }

  it.effect("leave room for more as soon as some were given back, before the next beat", () =>
    Effect.gen(function* () {
      const { begin, holding, released, state } = yield* opened()
      yield* begin("one")
      state.answer = "hangs"
      yield* TestClock.adjust("20 seconds")
      state.answer = "extends"
      while (released.length === 0) yield* TestClock.adjust("100 millis")
      yield* begin("two")
      assert.strictEqual(holding.room(5), 4)
    })
  )

  it.effect("are given back as late as the database hears it", () =>
    Effect.gen(function* () {
      const { begin, released, state } = yield* opened()
      yield* begin("one")
      state.answer = "hangs"
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(released, [])
      state.answer = "extends"
      yield* TestClock.adjust("4 seconds")
      assert.deepStrictEqual(released, ["one"])
    })
  )

  it.effect("are extended by the next beat while the one before is not answered", () =>
    Effect.gen(function* () {
      const { begin, ended, holding, state } = yield* opened()
      yield* begin("one")
      state.answer = "hangs"
      yield* TestClock.adjust("2900 millis")
      state.answer = "extends"
      yield* TestClock.adjust("200 millis")
      state.answer = "hangs"
      yield* TestClock.adjust("1500 millis")
      // The first has failed by now, which says less than that the second was answered.
      assert.strictEqual(holding.room(5), 4)
      state.answer = "extends"
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(ended.size, 0)
    })
  )

  it.effect("are given back, all of a claim, when that took as long as they last", () =>
    Effect.gen(function* () {
      const { holding, released } = yield* opened()
      yield* TestClock.adjust("1 minute")
      const nowMs = yield* Holding.elapsedMs
      const held = [
        { id: "one", lease: "one" },
        { id: "two", lease: "two" }
      ]
      assert.isFalse(yield* holding.isLate(nowMs - 4000, held))
      assert.isTrue(yield* holding.isLate(nowMs - Holding.claimMs, held))
      yield* TestClock.adjust("1 milli")
      assert.deepStrictEqual(released, ["one", "two"])
    })
  )
})
