/** The store outlives its processes, shares nothing with its callers, and replays. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Scheduler } from "effect"
import { TestClock } from "effect/testing"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Memory from "../../../adapters/memory/memory.ts"
import { MemoryStore, type Store } from "../../../adapters/memory/store.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Ids as IdsPort } from "../../../core/ports/ids.ts"
import { Tasks } from "../../../core/ports/tasks.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Rows from "../../support/rows.ts"

/** The records of one process over a store that may be older than it. */
const processOver = (store: Store) =>
  Layer.fresh(Memory.stores).pipe(Layer.provide(Layer.succeed(MemoryStore, store)))

const task = { kind: "provision_vaults", row: "job-1" } as const

/** Picks among all runnable fibers by a seed, as a simulation does. */
class SeededScheduler implements Scheduler.Scheduler {
  readonly executionMode = "async" as const
  readonly #runnable: Array<() => void> = []
  readonly #random: () => number
  #isRunning = false

  constructor(seed: number) {
    let state = seed
    this.#random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state / 0x1_0000_0000
    }
  }

  shouldYield(fiber: Fiber.Fiber<unknown, unknown>) {
    return fiber.currentOpCount >= 16
  }

  #drain() {
    while (this.#runnable.length > 0) {
      const [turn] = this.#runnable.splice(Math.floor(this.#random() * this.#runnable.length), 1)
      turn?.()
    }
    this.#isRunning = false
  }

  makeDispatcher() {
    return {
      scheduleTask: (turn: () => void) => {
        this.#runnable.push(turn)
        if (this.#isRunning) return
        this.#isRunning = true
        setImmediate(() => this.#drain())
      },
      flush: () => this.#drain()
    }
  }
}

it.effect("a restarted process finds what was committed and nothing that was not", () =>
  Effect.gen(function* () {
    const store = yield* MemoryStore.make
    const [kept, lost] = [Rows.anAccount(), Rows.anAccount()]
    const begun = yield* Deferred.make<void>()
    const first = yield* Effect.gen(function* () {
      const accounts = yield* Accounts
      yield* accounts.open(kept)
      yield* (yield* Atomically).run(
        accounts
          .open(lost)
          .pipe(Effect.andThen(Deferred.succeed(begun, undefined)), Effect.andThen(Effect.never))
      )
    }).pipe(Effect.provide(processOver(store)), Effect.forkChild)
    yield* Deferred.await(begun)
    yield* Fiber.interrupt(first)
    const found = yield* Effect.gen(function* () {
      const accounts = yield* Accounts
      return [yield* accounts.find(kept.id), yield* accounts.find(lost.id)]
    }).pipe(Effect.provide(processOver(store)))
    assert.deepStrictEqual(found, [kept, undefined])
  })
)

it.effect("two stores in one fiber have transactions of their own", () =>
  Effect.gen(function* () {
    const [one, two] = [yield* MemoryStore.make, yield* MemoryStore.make]
    const account = Rows.anAccount()
    const inOne = yield* Layer.build(processOver(one))
    const inTwo = yield* Layer.build(processOver(two))
    const openInTwo = Effect.flatMap(Accounts, (accounts) => accounts.open(account))
    yield* Effect.flatMap(Atomically, ({ run }) =>
      run(Effect.andThen(Effect.provide(openInTwo, inTwo), Effect.fail("no")))
    ).pipe(Effect.provide(inOne), Effect.exit)
    const find = Effect.flatMap(Accounts, (accounts) => accounts.find(account.id))
    assert.deepStrictEqual(yield* Effect.provide(find, inTwo), account)
    assert.isUndefined(yield* Effect.provide(find, inOne))
  })
)

it.effect("a fiber that outlives its transaction writes outside of it", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { run } = yield* Atomically
    const account = Rows.anAccount()
    const ended = yield* Deferred.make<void>()
    const late = Effect.andThen(Deferred.await(ended), accounts.open(account))
    const fiber = yield* run(Effect.forkChild(late))
    yield* Deferred.succeed(ended, undefined)
    yield* Fiber.join(fiber)
    assert.deepStrictEqual(yield* accounts.find(account.id), account)
  }).pipe(Effect.provide(Memory.layer()))
)

it.effect(
  "a look of others waits for the end of a transaction, and sees all or nothing of it",
  () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const { run } = yield* Atomically
      const account = Rows.anAccount()
      const [written, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const writing = accounts
        .open(account)
        .pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Deferred.await(mayEnd))
        )
      const undone = yield* Effect.forkChild(
        Effect.exit(run(Effect.andThen(writing, Effect.die("undone"))))
      )
      yield* Deferred.await(written)
      const look = yield* Effect.forkChild(accounts.find(account.id))
      yield* Effect.yieldNow
      assert.isUndefined(look.pollUnsafe())
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(undone)
      assert.isUndefined(yield* Fiber.join(look))
      assert.isUndefined(yield* accounts.find(account.id))
    }).pipe(Effect.provide(Memory.layer()))
)

it.effect("neither what was handed over nor what was handed out changes the store", () =>
  Effect.gen(function* () {
    const wallets = yield* Wallets
    const metadata: Record<string, string> = { shop: "7" }
    const wallet = Rows.aWallet("account-1", { metadata })
    yield* wallets.add(wallet)
    metadata.shop = "8"
    const read = yield* wallets.find("account-1", wallet.id)
    assert.deepStrictEqual(read?.metadata, { shop: "7" })
    assert.throws(() => Object.assign(read?.metadata ?? {}, { shop: "9" }), TypeError)
    assert.throws(() => Object.assign(read ?? {}, { name: "mine" }), TypeError)
  }).pipe(Effect.provide(Memory.layer()))
)

it.effect("ids from one seed replay, and those of another seed differ", () =>
  Effect.gen(function* () {
    const history = Effect.gen(function* () {
      const ids = yield* IdsPort
      return [yield* ids.uuid, yield* ids.base62(22), yield* ids.fraction, yield* ids.uuid]
    })
    const first = yield* Effect.provide(history, Ids.layer(7))
    assert.deepStrictEqual(yield* Effect.provide(history, Layer.fresh(Ids.layer(7))), first)
    assert.notDeepEqual(yield* Effect.provide(history, Ids.layer(8)), first)
  })
)

it.effect("a task whose process died is taken over when its lease ends, by one of many", () =>
  Effect.gen(function* () {
    const store = yield* MemoryStore.make
    const died = yield* Layer.build(processOver(store))
    const begun = yield* Deferred.make<void>()
    yield* Effect.provide(
      Effect.flatMap(Tasks, (tasks) => tasks.offer(task)),
      died
    )
    // Its clock stands still from here on, as that of a dead process: it renews nothing.
    const hanging = Effect.flatMap(Tasks, (tasks) =>
      tasks.take(() => Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
    )
    yield* hanging.pipe(Effect.provide(died), Effect.provide(TestClock.layer()), Effect.forkChild)
    yield* Deferred.await(begun)
    const done: Array<string> = []
    const worker = Effect.flatMap(Tasks, (tasks) =>
      tasks.take(({ row }) => Effect.sync(() => done.push(row)))
    )
    const living = yield* Layer.build(processOver(store))
    yield* Effect.forkChild(Effect.provide(worker, living))
    yield* Effect.forkChild(Effect.provide(worker, living))
    yield* TestClock.adjust("59 seconds")
    assert.deepStrictEqual(done, [])
    yield* TestClock.adjust("2 seconds")
    assert.deepStrictEqual(done, ["job-1"])
  })
)

it.effect("a long task keeps its lease, and a failing one waits longer each time", () =>
  Effect.gen(function* () {
    const tasks = yield* Tasks
    const starts: Array<number> = []
    const clock = yield* TestClock.testClockWith(Effect.succeed)
    const failAfter = (duration: "5 minutes" | "0 seconds") =>
      tasks.take(() =>
        Effect.andThen(
          Effect.sync(() => starts.push(clock.currentTimeMillisUnsafe() / 1000)),
          Effect.andThen(Effect.sleep(duration), Effect.fail("no"))
        )
      )
    yield* tasks.offer(task)
    yield* Effect.forkChild(Effect.exit(failAfter("5 minutes")))
    yield* Effect.forkChild(Effect.forever(Effect.exit(failAfter("0 seconds"))))
    yield* TestClock.adjust("307 seconds")
    assert.deepStrictEqual(starts, [0, 301, 303, 307])
  }).pipe(Effect.provide(Memory.layer()))
)

const history = (seed: number) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const { run } = yield* Atomically
    const ids = yield* IdsPort
    const order: Array<string> = []
    const change = (name: number) =>
      Effect.gen(function* () {
        const account = Rows.anAccount({ id: yield* ids.uuid })
        yield* accounts.open(account)
        yield* Effect.yieldNow
        order.push(`${name} ${account.id}`)
        if (name % 3 === 0) return yield* Effect.fail("no")
        return account.id
      }).pipe(run, Effect.option, (work) => Effect.andThen(Effect.yieldNow, work))
    const opened = yield* Effect.forEach(
      Array.from({ length: 24 }, (_, index) => index),
      change,
      { concurrency: "unbounded" }
    )
    const found = yield* Effect.forEach(opened, (id) =>
      accounts.find(id._tag === "Some" ? id.value : "none")
    )
    assert.strictEqual(found.filter((account) => account !== undefined).length, 16)
    return order
  }).pipe(
    Effect.provide(Layer.fresh(Memory.layer())),
    Effect.provideService(Scheduler.Scheduler, new SeededScheduler(seed))
  )

it.effect("one seed of the scheduler is one history; transactions never mingle", () =>
  Effect.gen(function* () {
    const first = yield* history(1)
    assert.deepStrictEqual(yield* history(1), first)
    assert.notDeepEqual(yield* history(2), first)
  })
)
