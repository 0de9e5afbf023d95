/**
 * However many wallets an account has, a call reads a page of them. No two calls read one account at once, and none
 * waits for the reading of all that goes on beside them.
 */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as MemoryHoldings from "../../../adapters/memory/holdings.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import type { Address } from "../../../core/chains/address.ts"
import { Holdings } from "../../../core/ports/holdings.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Rows from "../../support/rows.ts"

/** How many addresses were asked for at once, and what they wait for. */
const asked: {
  sizes: Array<number>
  atOnce: number
  maxAtOnce: number
  gate: Effect.Effect<void>
} = {
  sizes: [],
  atOnce: 0,
  maxAtOnce: 0,
  gate: Effect.void
}

const world = Layer.suspend(() => {
  Object.assign(asked, { sizes: [], atOnce: 0, maxAtOnce: 0, gate: Effect.void })
  const chain = Wiring.scriptedChain(["local"])
  const watched = Layer.effect(
    Holdings,
    Effect.map(Holdings, (holdings) => ({
      ...holdings,
      balances: (chainId: string, addresses: ReadonlyArray<Address>, tokens) =>
        Effect.suspend(() => {
          asked.sizes.push(addresses.length)
          asked.maxAtOnce = Math.max(asked.maxAtOnce, ++asked.atOnce)
          return asked.gate.pipe(
            Effect.andThen(holdings.balances(chainId, addresses, tokens)),
            Effect.ensuring(Effect.sync(() => (asked.atOnce -= 1)))
          )
        })
    }))
  ).pipe(Layer.provide(MemoryHoldings.layer(chain)))
  return Layer.mergeAll(
    Wiring.layer({ store: new Store(), chain }, 1),
    MemoryChains.layer(chain),
    watched
  )
})

const accountWith = Effect.fnUntraced(function* (count: number) {
  const { accountId, call } = yield* Accounts.opened()
  const book = yield* Wallets
  const wallets = Array.from({ length: count }, () => Rows.aWallet(accountId, { chainId: "local" }))
  for (const wallet of wallets) yield* book.add(wallet)
  return { wallets, call }
})

const paid = Effect.fnUntraced(function* (address: string | undefined) {
  const { pay } = yield* MemoryChains.ChainScript
  yield* pay({ to: address ?? "", amountMicro: 1_000_000n, chainId: "local" })
})

it.effect("all wallets count, a page is listed, and the next pages list the rest", () =>
  Effect.gen(function* () {
    const { wallets, call } = yield* accountWith(1_201)
    for (const at of [0, 600, 1_200]) yield* paid(wallets[at]?.address)
    const first = yield* call.get_portfolio({})
    assert.lengthOf(first.wallets, 100)
    assert.deepInclude(first, {
      totalUsd: "3.00",
      totalsComplete: true,
      stale: false,
      hasMore: true
    })
    assert.deepStrictEqual(asked.sizes, [100, 250, 250, 250, 250, 201])
    const seen = [...first.wallets]
    let cursor = first.nextCursor
    while (cursor !== null) {
      const page = yield* call.get_portfolio({ cursor })
      assert.strictEqual(page.totalUsd, "3.00")
      seen.push(...page.wallets)
      cursor = page.nextCursor
    }
    assert.strictEqual(new Set(seen.map(({ id }) => id)).size, 1_201)
    assert.lengthOf(
      seen.filter(({ balanceUsd }) => balanceUsd === "1.00"),
      3
    )
    // The totals of a moment ago were good enough for every page.
    assert.lengthOf(
      asked.sizes.filter((size) => size > 100),
      5
    )
    assert.strictEqual(asked.maxAtOnce, 1)
  }).pipe(Effect.provide(world))
)

it.effect("calls at the same time share one reading", () =>
  Effect.gen(function* () {
    const { call } = yield* accountWith(150)
    const gate = yield* Deferred.make<void>()
    asked.gate = Deferred.await(gate)
    const calls = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 20 }, () => call.get_portfolio({})),
        { concurrency: "unbounded" }
      )
    )
    yield* Effect.yieldNow
    yield* Deferred.succeed(gate, undefined)
    const told = yield* Fiber.join(calls)
    assert.lengthOf(told, 20)
    assert.deepStrictEqual(asked.sizes, [100, 150])
    assert.strictEqual(asked.maxAtOnce, 1)
  }).pipe(Effect.provide(world))
)

it.effect(
  "while totals are being read again, the last are told with their time, and what is old is stale",
  () =>
    Effect.gen(function* () {
      const { wallets, call } = yield* accountWith(101)
      yield* paid(wallets[0]?.address)
      const before = yield* call.get_portfolio({})
      assert.deepInclude(before, { totalUsd: "1.00", stale: false, totalsComplete: true })
      yield* TestClock.adjust("2 minutes")
      yield* paid(wallets[0]?.address)
      // The page is read, and the reading of all hangs.
      const gate = yield* Deferred.make<void>()
      asked.gate = Effect.suspend(() =>
        asked.sizes.at(-1) === 101 ? Deferred.await(gate) : Effect.void
      )
      const slow = yield* Effect.forkChild(call.get_portfolio({}))
      yield* TestClock.adjust("3 seconds")
      const meanwhile = yield* Fiber.join(slow)
      assert.deepInclude(meanwhile, {
        totalUsd: "1.00",
        totalsAsOf: before.totalsAsOf,
        stale: true,
        totalsComplete: true
      })
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust("1 seconds")
      const after = yield* call.get_portfolio({})
      assert.deepInclude(after, { totalUsd: "2.00", stale: false })
    }).pipe(Effect.provide(world))
)

it.effect("nobody waits for a reading that cannot end while a call waits", () =>
  Effect.gen(function* () {
    const { wallets, call } = yield* accountWith(1_200)
    yield* paid(wallets[0]?.address)
    asked.gate = Effect.suspend(() =>
      (asked.sizes.at(-1) ?? 0) > 100 ? Effect.sleep("3 seconds") : Effect.void
    )
    const first = yield* Effect.forkChild(call.get_portfolio({}))
    yield* TestClock.adjust("3 seconds")
    assert.isFalse((yield* Fiber.join(first)).totalsComplete)
    yield* TestClock.adjust("10 minutes")
    const again = yield* Effect.forkChild(call.get_portfolio({}))
    yield* TestClock.adjust("1 millis")
    assert.isDefined(again.pollUnsafe(), "It waits for what takes nine seconds.")
    assert.deepInclude(yield* Fiber.join(again), { totalUsd: "1.00", totalsComplete: true })
    yield* TestClock.adjust("1 minutes")
  }).pipe(Effect.provide(world))
)

it.effect("the reading of all wallets rests after each step that nobody waits for", () =>
  Effect.gen(function* () {
    const { call } = yield* accountWith(1_300)
    asked.gate = Effect.suspend(() =>
      asked.sizes.at(-1) === 250 ? Effect.sleep("1 seconds") : Effect.void
    )
    const told = yield* Effect.forkChild(call.get_portfolio({}))
    const awaited = [100, 250, 250, 250, 250, 250]
    yield* TestClock.adjust("5900 millis")
    assert.deepStrictEqual(asked.sizes, awaited)
    yield* TestClock.adjust("200 millis")
    assert.deepStrictEqual(asked.sizes, [...awaited, 50])
    assert.isFalse((yield* Fiber.join(told)).totalsComplete)
  }).pipe(Effect.provide(world))
)

it.effect("a call waits for a few steps of very many, and no time", () =>
  Effect.gen(function* () {
    const { wallets, call } = yield* accountWith(1_300)
    for (const { address } of wallets) yield* paid(address)
    asked.gate = Effect.suspend(() => (asked.sizes.at(-1) === 50 ? Effect.never : Effect.void))
    const told = yield* call.get_portfolio({})
    assert.deepInclude(told, { totalUsd: "1250.00", totalsComplete: false })
    const again = yield* call.get_portfolio({ limit: 7 })
    assert.deepInclude(again, { totalUsd: "1250.00", totalsComplete: false })
  }).pipe(Effect.provide(world))
)

it.effect("a page does not wait while all wallets are being read", () =>
  Effect.gen(function* () {
    const { call } = yield* accountWith(101)
    yield* call.get_portfolio({})
    yield* TestClock.adjust("10 minutes")
    asked.gate = Effect.suspend(() => (asked.sizes.at(-1) === 101 ? Effect.never : Effect.void))
    const first = yield* Effect.forkChild(call.get_portfolio({}))
    yield* TestClock.adjust("3 seconds")
    yield* Fiber.join(first)
    const page = yield* Effect.forkChild(call.get_portfolio({ limit: 7 }))
    yield* TestClock.adjust("2 seconds")
    assert.lengthOf((yield* Fiber.join(page)).wallets, 7)
  }).pipe(Effect.provide(world))
)

it.effect("calls for different pages of one account take turns", () =>
  Effect.gen(function* () {
    const { call } = yield* accountWith(30)
    const other = yield* accountWith(1)
    asked.gate = Effect.sleep("1 seconds")
    const calls = yield* Effect.forkChild(
      Effect.forEach([10, 11, 12], (limit) => call.get_portfolio({ limit }), {
        concurrency: "unbounded"
      })
    )
    yield* TestClock.adjust("30 seconds")
    yield* Fiber.join(calls)
    // One call, and the reading of all wallets.
    assert.strictEqual(asked.maxAtOnce, 2)
    asked.maxAtOnce = 0
    // Another account waits for nobody.
    const both = yield* Effect.forkChild(
      Effect.all([call.get_portfolio({ limit: 13 }), other.call.get_portfolio({})], {
        concurrency: "unbounded"
      })
    )
    yield* TestClock.adjust("30 seconds")
    yield* Fiber.join(both)
    assert.strictEqual(asked.maxAtOnce, 2)
  }).pipe(Effect.provide(world))
)

it.effect("totals of a part are said to be of a part", () =>
  Effect.gen(function* () {
    const { wallets, call } = yield* accountWith(501)
    yield* Effect.forEach(wallets, ({ address }) => paid(address))
    // The second step hangs.
    asked.gate = Effect.suspend(() => (asked.sizes.at(-1) === 1 ? Effect.never : Effect.void))
    const slow = yield* Effect.forkChild(call.get_portfolio({}))
    yield* TestClock.adjust("3 seconds")
    const told = yield* Fiber.join(slow)
    assert.deepInclude(told, { totalUsd: "500.00", totalsComplete: false, stale: true })
    assert.lengthOf(told.wallets, 100)
  }).pipe(Effect.provide(world))
)
