/** What strangers read is read once a second, and anew as soon as it changed here. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as RecentReads from "../../../adapters/http/recent-reads.ts"
import * as MemoryWakeups from "../../../adapters/memory/notifier.ts"
import { Notifier } from "../../../core/ports/notifier.ts"

const reads = RecentReads.layer.pipe(Layer.provideMerge(MemoryWakeups.layer))

const counter = () => {
  let looks = 0
  const look = Effect.sync(() => {
    looks += 1
    return looks
  })
  return look
}

it.effect("one look serves everybody for a second, by name", () =>
  Effect.gen(function* () {
    const { read } = yield* RecentReads.RecentReads
    const look = counter()
    assert.deepStrictEqual(yield* Effect.replicateEffect(read("a", look), 3), [1, 1, 1])
    assert.strictEqual(yield* read("b", look), 2)
    yield* TestClock.adjust(999)
    assert.strictEqual(yield* read("a", look), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* read("a", look), 1)
    yield* Effect.yieldNow
    assert.strictEqual(yield* read("a", look), 3)
  }).pipe(Effect.provide(reads))
)

it.effect("nobody waits while a look is made anew, of which there is one at once", () =>
  Effect.gen(function* () {
    const { read } = yield* RecentReads.RecentReads
    const look = counter()
    assert.strictEqual(yield* read("a", look), 1)
    assert.strictEqual(yield* read("b", look), 2)
    yield* TestClock.adjust(RecentReads.keptForMs)
    const latch = Latch.makeUnsafe()
    const late = Effect.andThen(latch.await, look)
    assert.strictEqual(yield* read("a", late), 1)
    yield* Effect.yieldNow
    assert.deepStrictEqual(
      yield* Effect.replicateEffect(read("a", Effect.die("read twice")), 3),
      [1, 1, 1]
    )
    assert.strictEqual(yield* read("b", Effect.die("read beside the other")), 2)
    yield* latch.open
    yield* Effect.yieldNow
    assert.strictEqual(yield* read("a", look), 3)
    assert.strictEqual(yield* read("b", look), 2)
    yield* Effect.yieldNow
    assert.strictEqual(yield* read("b", look), 4)
  }).pipe(Effect.provide(reads))
)

it.effect("what is three seconds old is shown to nobody", () =>
  Effect.gen(function* () {
    const { read } = yield* RecentReads.RecentReads
    const look = counter()
    assert.strictEqual(yield* read("a", look), 1)
    yield* TestClock.adjust(RecentReads.shownForMs - 1)
    assert.strictEqual(yield* read("a", Effect.never), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* read("a", look), 2)
  }).pipe(Effect.provide(reads))
)

for (const topic of ["payments", "requests", "submissions"] as const) {
  it.effect(`a change of ${topic} in this process is seen at once, by a look under way too`, () =>
    Effect.gen(function* () {
      const { read } = yield* RecentReads.RecentReads
      const { signal } = yield* Notifier
      const look = counter()
      assert.strictEqual(yield* read("a", look), 1)
      const latch = Latch.makeUnsafe()
      const late = yield* Effect.forkChild(read("b", Effect.andThen(latch.await, look)))
      yield* Effect.yieldNow
      yield* signal(topic)
      yield* Effect.yieldNow
      yield* latch.open
      assert.strictEqual(yield* Fiber.join(late), 2)
      assert.strictEqual(yield* read("a", look), 3)
      assert.strictEqual(yield* read("b", look), 4)
    }).pipe(Effect.provide(reads))
  )
}

it.effect("refusals are kept, and defects are not", () =>
  Effect.gen(function* () {
    const { read } = yield* RecentReads.RecentReads
    const look = counter()
    const failing = Effect.flatMap(look, (looks) => Effect.fail(looks))
    assert.strictEqual(yield* Effect.flip(read("refused", failing)), 1)
    assert.strictEqual(yield* Effect.flip(read("refused", failing)), 1)
    const dying = Effect.flatMap(look, (looks) => Effect.die(looks))
    yield* Effect.exit(read("broken", dying))
    assert.strictEqual(yield* read("broken", look), 3)
  }).pipe(Effect.provide(reads))
)

it.effect("the earliest are forgotten when there are too many", () =>
  Effect.gen(function* () {
    const { read } = yield* RecentReads.RecentReads
    const look = counter()
    for (let name = 0; name <= RecentReads.maxKept; name++) yield* read(`name ${name}`, look)
    const again = RecentReads.maxKept + 2
    assert.strictEqual(yield* read("name 0", look), again)
    assert.strictEqual(yield* read(`name ${RecentReads.maxKept}`, look), RecentReads.maxKept + 1)
  }).pipe(Effect.provide(reads))
)
