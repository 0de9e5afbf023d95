/** Strangers wait for one another and for keys; a key waits for nobody, and nobody waits for ever. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Latch } from "effect"
import * as Turns from "../../../adapters/http/edge/turns.ts"
import { sizesOf } from "../../../adapters/postgres/lone-writes.ts"

const bounds: Turns.Bounds = { ...Turns.defaults, maxAtOnce: 1, maxHeldMs: 60_000 }

/** Long enough for as many turns of the event loop as a test needs. */
const aWhile = Effect.promise(
  () =>
    new Promise<void>((resume) => {
      let turns = 50
      const turn = () => (turns-- > 0 ? setImmediate(turn) : resume())
      turn()
    })
)

const noting = (began: Array<string>, name: string, until: Effect.Effect<void> = Effect.void) =>
  Effect.andThen(
    Effect.sync(() => began.push(name)),
    until
  )

it.effect("a few are served at once, and the clients that wait take turns", () =>
  Effect.gen(function* () {
    const turns = Turns.make(bounds)
    const began: Array<string> = []
    const latch = Latch.makeUnsafe()
    const first = yield* Effect.forkChild(turns.take("busy")(noting(began, "busy 0", latch.await)))
    yield* aWhile
    const rest = yield* Effect.forEach(["busy 1", "busy 2", "other 1", "third 1"], (name) =>
      Effect.forkChild(turns.take(name.split(" ")[0] ?? "")(noting(began, name)))
    )
    yield* aWhile
    assert.deepStrictEqual(began, ["busy 0"])
    yield* latch.open
    yield* Fiber.joinAll([first, ...rest])
    assert.deepStrictEqual(began, ["busy 0", "busy 1", "other 1", "third 1", "busy 2"])
  })
)

it.effect("they begin one by one in turns of the event loop, however short their work", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, maxAtOnce: 100 })
    let inTurn = 0
    let most = 0
    const work = Effect.sync(() => {
      inTurn += 1
      most = Math.max(most, inTurn)
      setImmediate(() => {
        inTurn = 0
      })
    })
    yield* Effect.forEach(
      Array.from({ length: 20 }, (_, number) => `client ${number}`),
      (client) => turns.take(client)(work),
      { concurrency: "unbounded" }
    )
    // The scheduler of fibers may bring one into the turn of the next.
    assert.isAtMost(most, 2)
  })
)

it.effect("while a key's call is being answered strangers wait, and then go on", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, youngMs: 60_000, maxPauseMs: 60_000 })
    const began: Array<string> = []
    yield* turns.take("client")(noting(began, "before"))
    const end = turns.makeWay()
    const waiting = yield* Effect.forkChild(turns.take("client")(noting(began, "after")))
    yield* aWhile
    assert.deepStrictEqual(began, ["before"])
    end()
    yield* Fiber.join(waiting)
    assert.deepStrictEqual(began, ["before", "after"])
  })
)

it.live("keys that never pause, and one that waits for long, do not stop strangers", () =>
  Effect.gen(function* () {
    const busy = Turns.make({ ...bounds, youngMs: 60_000, maxPauseMs: 5 })
    busy.makeWay()
    yield* Effect.replicateEffect(busy.take("client")(Effect.void), 3)
    const old = Turns.make({ ...bounds, youngMs: 5, maxPauseMs: 60_000 })
    old.makeWay()
    yield* Effect.sleep(10)
    yield* Effect.replicateEffect(old.take("client")(Effect.void), 3)
  })
)

it.live("work that goes on for long gives its place on", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, maxHeldMs: 5 })
    const slow = yield* Effect.forkChild(turns.take("slow")(Effect.never))
    yield* aWhile
    yield* turns.take("other")(Effect.void)
    yield* Fiber.interrupt(slow)
  })
)

it.effect("too many who wait are refused, each client before all, and who leaves makes room", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, maxWaiting: 3, maxWaitingPerClient: 2 })
    yield* Effect.forkChild(turns.take("first")(Effect.never))
    yield* aWhile
    const wait = (client: string) => Effect.forkChild(turns.take(client)(Effect.void))
    const own = yield* Effect.forEach(["one", "one"], wait)
    yield* aWhile
    const refused = yield* Effect.flip(turns.take("one")(Effect.void))
    assert.strictEqual(refused._tag, "OVERLOADED")
    const [leaving] = own
    if (leaving !== undefined) yield* Fiber.interrupt(leaving)
    yield* Effect.forEach(["two", "four"], wait)
    yield* aWhile
    assert.isTrue(Exit.isFailure(yield* Effect.exit(turns.take("three")(Effect.void))))
    const [, remaining] = own
    if (remaining !== undefined) yield* Fiber.interrupt(remaining)
    const again = yield* wait("three")
    yield* aWhile
    assert.isUndefined(again.pollUnsafe())
  })
)

it("so many calls of keys begin at once as the database writes in one statement", () => {
  const [most] = sizesOf(1_000)
  assert.strictEqual(Turns.defaults.keys.maxAtOnce, most)
})

it.effect("calls of keys begin at once while there are places, and then key by key", () =>
  Effect.gen(function* () {
    const keys = { ...bounds, maxAtOnce: 2 }
    const turns = Turns.make({ ...bounds, keys })
    const began: Array<string> = []
    const latch = Latch.makeUnsafe()
    const call = (name: string, until: Effect.Effect<void> = Effect.void) =>
      Effect.flatMap(turns.enter(name.split(" ")[0] ?? ""), (leave) =>
        Effect.ensuring(noting(began, name, until), Effect.sync(leave))
      ).pipe(Effect.forkChild)
    const crowd = yield* Effect.forEach(
      Array.from({ length: 400 }, (_, at) => `busy ${at}`),
      (name) => call(name, latch.await)
    )
    yield* aWhile
    assert.deepStrictEqual(began, ["busy 0", "busy 1"])
    const other = yield* call("other")
    yield* aWhile
    yield* latch.open
    yield* Fiber.join(other)
    // One of the busy key's may have begun before it in its turn.
    assert.isAtMost(began.indexOf("other"), 4)
    yield* Fiber.joinAll(crowd)
    assert.lengthOf(began, 401)
  })
)

it.effect("a full line takes a newcomer in place of the last of whoever waits with most", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, maxWaiting: 3, maxWaitingPerClient: 3 })
    yield* Effect.forkChild(turns.take("first")(Effect.never))
    yield* aWhile
    const wait = (client: string) => Effect.forkChild(Effect.exit(turns.take(client)(Effect.void)))
    const [, , last] = yield* Effect.forEach(["one", "one", "one"], wait)
    yield* aWhile
    const newcomer = yield* wait("two")
    yield* aWhile
    assert.isUndefined(newcomer.pollUnsafe())
    if (last !== undefined) assert.isTrue(Exit.isFailure(yield* Fiber.join(last)))
  })
)

it.effect("work of keys that waits for nothing leaves the event loop to others", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, keys: { ...bounds, maxAtOnce: 1 } })
    const blocking = Effect.sync(() => {
      const endMs = performance.now() + 3
      while (performance.now() < endMs);
    })
    const latch = Latch.makeUnsafe()
    const call = (key: string, work: Effect.Effect<void>) =>
      Effect.flatMap(turns.enter(key), (leave) => Effect.ensuring(work, Effect.sync(leave))).pipe(
        Effect.forkChild
      )
    const holding = yield* call("first", latch.await)
    yield* aWhile
    const waiting = yield* Effect.forEach(
      Array.from({ length: 20 }, (_, at) => `key ${at}`),
      (key) => call(key, blocking)
    )
    yield* aWhile
    let turned = 0
    const count = () => {
      turned += 1
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    yield* latch.open
    yield* Fiber.joinAll([holding, ...waiting])
    clearImmediate(counting)
    assert.isAtLeast(turned, 8)
  })
)

it.effect("nobody begins while newcomers are accepted, and then they do", () =>
  Effect.gen(function* () {
    let isArriving = true
    const turns = Turns.make(bounds, () => isArriving)
    const began: Array<string> = []
    const lines = { stranger: turns.take, link: turns.takeLink, manual: turns.takeManual }
    const waiting = yield* Effect.forEach(Object.entries(lines), ([name, take]) =>
      Effect.forkChild(take("client")(noting(began, name)))
    )
    const key = yield* Effect.forkChild(Effect.tap(turns.enter("key"), () => noting(began, "key")))
    yield* aWhile
    assert.deepStrictEqual(began, [])
    isArriving = false
    yield* Fiber.joinAll([...waiting, key])
    assert.sameMembers(began, ["stranger", "link", "manual", "key"])
  })
)

it.live("whoever has waited for too long is refused", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, maxWaitMs: 20 })
    yield* Effect.forkChild(turns.take("first")(Effect.never))
    yield* aWhile
    const refused = yield* Effect.flip(turns.take("second")(Effect.void))
    assert.strictEqual(refused._tag, "OVERLOADED")
  })
)

/** Keeps the event loop busy until the answer is called. */
const spinning = () => {
  let isOver = false
  const spin = () => {
    const endMs = performance.now() + 1
    while (performance.now() < endMs);
    if (!isOver) setImmediate(spin)
  }
  spin()
  return () => {
    isOver = true
  }
}

it.live("work keeps its place while the event loop has no rest, and not for ever", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, maxHeldMs: 5, maxHeldBusyMs: 100 })
    const stop = spinning()
    const startedMs = performance.now()
    const slow = yield* Effect.forkChild(turns.take("slow")(Effect.never))
    yield* aWhile
    yield* turns.take("other")(Effect.void)
    assert.isAtLeast(performance.now() - startedMs, 100)
    stop()
    yield* Fiber.interrupt(slow)
  })
)

it.effect("links whose pages are at hand do not wait for a turn of the event loop each", () =>
  Effect.gen(function* () {
    const turns = Turns.make(bounds)
    const latch = Latch.makeUnsafe()
    const holding = yield* Effect.forkChild(turns.takeLink("first")(latch.await))
    yield* aWhile
    let inTurn = 0
    let most = 0
    const work = Effect.sync(() => {
      inTurn += 1
      most = Math.max(most, inTurn)
      setImmediate(() => {
        inTurn = 0
      })
    })
    const waiting = yield* Effect.forEach(
      Array.from({ length: 50 }, (_, at) => `client ${at}`),
      (client) => Effect.forkChild(turns.takeLink(client)(work))
    )
    yield* aWhile
    assert.strictEqual(most, 0)
    yield* latch.open
    yield* Fiber.joinAll([holding, ...waiting])
    assert.isAbove(most, 2)
  })
)

it.live("where keys have called lately, strangers rest four times as long as they took", () =>
  Effect.gen(function* () {
    const turns = Turns.make({ ...bounds, livelyMs: 60_000, maxPauseMs: 60_000 })
    const workMs = 3
    let endedMs = 0
    const blocking = Effect.sync(() => {
      const endMs = performance.now() + workMs
      while (performance.now() < endMs);
      // Taken here: a busy machine may come back to the test long after the rest began.
      endedMs = performance.now()
    })
    turns.makeWay()()
    for (const take of [turns.take, turns.takeLink]) {
      // A line of links has five milliseconds of rest saved up.
      yield* Effect.replicateEffect(take("client")(blocking), 3)
      yield* take("client")(Effect.void)
      assert.isAtLeast(performance.now() - endedMs, workMs * 3)
    }
  })
)
