/** What replicas on one server owe each other: limits that hold over all of them, and wake-ups. */
import { assert, it } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import { Tasks } from "../../../core/ports/tasks.ts"
import type { LeasedDelivery } from "../../../core/webhooks/delivery-store.ts"
import * as DeliveryQueue from "../../support/delivery-queue.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** Replicas on one fresh database, each with a pool and stores of its own. */
const replicas = Effect.fnUntraced(function* (count: number) {
  const address = yield* FreshDatabase.url()
  const replica = Layer.build(
    Layer.fresh(Layer.provideMerge(Stores.layer, FreshDatabase.engineAt(address, 4)))
  )
  return yield* Effect.all(Array.from({ length: count }, () => replica))
})

it.live("eight claimers on four replicas never have five of one endpoint at work", () =>
  Effect.gen(function* () {
    const all = yield* replicas(4)
    const [first] = all
    if (first === undefined) return
    const endpoints = yield* Effect.forEach(Array(6).fill(0), () =>
      DeliveryQueue.anEndpoint()
    ).pipe(Effect.provideContext(first))
    yield* Effect.forEach(endpoints, (endpoint) =>
      DeliveryQueue.queued(endpoint, Array(40).fill(0))
    ).pipe(Effect.provideContext(first))
    const [hanging] = endpoints
    const atWork = new Map<string, number>()
    let most = 0
    const done: Array<string> = []
    const add = ({ delivery }: LeasedDelivery, by: number) => {
      const now = (atWork.get(delivery.endpointId) ?? 0) + by
      atWork.set(delivery.endpointId, now)
      most = Math.max(most, now)
    }
    const claimer = Effect.gen(function* () {
      let idle = 0
      while (idle < 3) {
        const claimed = yield* DeliveryQueue.claimAt(1, 7)
        for (const each of claimed) add(each, 1)
        const healthy = claimed.filter(({ delivery }) => delivery.endpointId !== hanging?.id)
        idle = healthy.length === 0 ? idle + 1 : 0
        yield* Effect.forEach(healthy, (each) => {
          add(each, -1)
          done.push(each.delivery.id)
          const { endpointId } = each.delivery
          const ofEndpoint = healthy.filter(({ delivery }) => delivery.endpointId === endpointId)
          return DeliveryQueue.concludeAsDelivered(each, each === ofEndpoint.at(-1))
        })
      }
    })
    yield* Effect.forEach([...all, ...all], (replica) => Effect.provideContext(claimer, replica), {
      concurrency: "unbounded"
    })
    assert.strictEqual(most, 4)
    assert.strictEqual(atWork.get(hanging?.id ?? ""), 4)
    assert.strictEqual(done.length, 200)
    assert.strictEqual(new Set(done).size, 200)
  })
)

it.live("a signal on one replica is heard on another, also after its connection was lost", () =>
  Effect.gen(function* () {
    const [one, two] = yield* replicas(2)
    if (one === undefined || two === undefined) return
    const wait = yield* Context.get(two, Notifier).listen("payments")
    const { signal } = Context.get(one, Notifier)
    const signalling = Effect.forever(Effect.andThen(signal("payments"), Effect.sleep("20 millis")))
    const heard = Effect.raceFirst(wait, Effect.andThen(signalling, Effect.never))
    yield* heard
    const sql = Context.get(one, SqlClient.SqlClient)
    const ended = yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`
    assert.strictEqual(ended.length, 2)
    // One hint may still lie there from before.
    yield* heard
    yield* heard
  })
)

it.live("a signal in a transaction is heard when it commits, and never when it does not", () =>
  Effect.gen(function* () {
    const [one] = yield* replicas(1)
    if (one === undefined) return
    const { listen, signal } = Context.get(one, Notifier)
    const { run } = Context.get(one, Atomically)
    const wait = yield* Effect.forkChild(yield* listen("tasks"))
    yield* Effect.exit(run(Effect.andThen(signal("tasks"), Effect.fail("no"))))
    yield* run(
      Effect.gen(function* () {
        yield* signal("tasks")
        yield* Effect.sleep("50 millis")
        assert.isUndefined(wait.pollUnsafe())
      })
    )
    yield* Fiber.join(wait)
  })
)

it.effect(
  "an offered task reaches a waiting worker of this process without waiting for a poll",
  () =>
    Effect.gen(function* () {
      const [one] = yield* replicas(1)
      if (one === undefined) return
      const { offer, take } = Context.get(one, Tasks)
      const seen: Array<string> = []
      const worker = yield* Effect.forkChild(take(({ row }) => Effect.sync(() => seen.push(row))))
      const row = Rows.anId()
      // The clock of the test stands still: no poll ever comes.
      yield* Context.get(one, Atomically).run(offer({ kind: "provision_vaults", row }))
      yield* Fiber.join(worker)
      assert.deepStrictEqual(seen, [row])
    })
)

it.live("a task that one replica offers is done by another", () =>
  Effect.gen(function* () {
    const [one, two] = yield* replicas(2)
    if (one === undefined || two === undefined) return
    const row = Rows.anId()
    const done = yield* Deferred.make<string>()
    const worker = Context.get(two, Tasks).take((task) => Deferred.succeed(done, task.row))
    yield* Effect.forkChild(worker)
    yield* Context.get(one, Tasks).offer({ kind: "provision_vaults", row })
    assert.strictEqual(yield* Deferred.await(done), row)
  })
)

it.live("requests that another replica holds are passed over, and the others are locked", () =>
  Effect.gen(function* () {
    const [one, two] = yield* replicas(2)
    if (one === undefined || two === undefined) return
    const [a, b] = yield* Effect.gen(function* () {
      const vault = yield* Stored.vault()
      return [yield* Stored.paymentRequest(vault), yield* Stored.paymentRequest(vault)] as const
    }).pipe(Effect.provideContext(one))
    const [held, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holding = Context.get(one, Atomically).run(
      Effect.gen(function* () {
        yield* Context.get(one, PaymentRequests).lock(a.id)
        yield* Deferred.succeed(held, undefined)
        yield* Deferred.await(done)
      })
    )
    const holder = yield* Effect.forkScoped(holding)
    yield* Deferred.await(held)
    const free = Context.get(two, Atomically).run(
      Context.get(two, PaymentRequests).lockFree([a.id, b.id])
    )
    assert.deepStrictEqual(yield* free, [b])
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(holder)
  })
)

it.live("transactions that lock each other out are begun again, and both commit", () =>
  Effect.gen(function* () {
    const [one] = yield* replicas(1)
    if (one === undefined) return
    const requests = Context.get(one, PaymentRequests)
    const { run } = Context.get(one, Atomically)
    const [a, b] = yield* Effect.gen(function* () {
      const vault = yield* Stored.vault()
      return [yield* Stored.paymentRequest(vault), yield* Stored.paymentRequest(vault)] as const
    }).pipe(Effect.provideContext(one))
    const met = [yield* Deferred.make<void>(), yield* Deferred.make<void>()] as const
    let tries = 0
    const crossing = (first: string, then: string, mine: 0 | 1) =>
      run(
        Effect.gen(function* () {
          tries++
          const locked = yield* requests.lock(first)
          yield* Deferred.succeed(met[mine], undefined)
          yield* Deferred.await(met[mine === 0 ? 1 : 0])
          yield* requests.lock(then)
          if (locked === undefined) return
          yield* requests.settle({ ...locked, receivedMicro: Usdc.make(locked.receivedMicro + 1n) })
        })
      )
    yield* Effect.all([crossing(a.id, b.id, 0), crossing(b.id, a.id, 1)], {
      concurrency: "unbounded"
    })
    assert.isAbove(tries, 2)
    for (const { accountId, id } of [a, b]) {
      assert.strictEqual((yield* requests.find(accountId, id))?.receivedMicro, 1n)
    }
  })
)

it.live("that audit entries were written is heard where they were, and not by other replicas", () =>
  Effect.gen(function* () {
    const [one, two] = yield* replicas(2)
    if (one === undefined || two === undefined) return
    const here = yield* Context.get(one, Notifier).listen("audit")
    const there = yield* Effect.flatMap(
      Context.get(two, Notifier).listen("audit"),
      Effect.forkChild
    )
    const marker = yield* Context.get(two, Notifier).listen("payments")
    const { signal } = Context.get(one, Notifier)
    yield* signal("audit")
    yield* here
    const signalling = Effect.forever(Effect.andThen(signal("payments"), Effect.sleep("20 millis")))
    yield* Effect.raceFirst(marker, Effect.andThen(signalling, Effect.never))
    assert.isUndefined(there.pollUnsafe())
    yield* Fiber.interrupt(there)
  })
)

it.live("that something is to be submitted is told to others only where nobody here submits", () =>
  Effect.gen(function* () {
    const [one, two] = yield* replicas(2)
    if (one === undefined || two === undefined) return
    const [{ signal }, others] = [Context.get(one, Notifier), Context.get(two, Notifier)]
    const listening = Effect.flatMap(others.listen("submissions"), Effect.forkScoped)
    const marker = yield* others.listen("payments")
    const told = Effect.forever(Effect.andThen(signal("payments"), Effect.sleep("20 millis")))
    const heard = Effect.raceFirst(marker, Effect.andThen(told, Effect.never))
    yield* heard
    const alone = yield* listening
    yield* signal("submissions")
    yield* Fiber.join(alone)
    const besides = yield* listening
    const ofOne = yield* others.listen("submissions", "one")
    const { listen } = Context.get(one, Notifier)
    const here = yield* Effect.scoped(
      Effect.gen(function* () {
        const work = yield* listen("submissions", undefined, "worker")
        yield* signal("submissions")
        return work
      })
    )
    yield* here
    // Whoever waits for one of them is told in any case, and what is told comes in order.
    yield* signal("submissions", "one")
    yield* ofOne
    assert.isUndefined(besides.pollUnsafe())
    // Nobody submits here any more; what only looks, as a page does, takes nothing up.
    const page = yield* listen("submissions")
    yield* signal("submissions")
    yield* page
    yield* Fiber.join(besides)
  })
)
