/** Several processes that read the chains for one line: together they come to an end, however long a page takes. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { type AddressKey, TransactionId } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Chains, ChainUnavailable } from "../../../core/ports/chains.ts"
import { Ids } from "../../../core/ports/ids.ts"
import { Submitters } from "../../../core/submissions/submitter.ts"
import { begun, type Line, type Standing, Timeline } from "../../../core/timeline/timeline.ts"
import { catchUp } from "../../../core/treasury/catch-up.ts"
import { walletsAtOnce } from "../../../core/treasury/charge-unexplained.ts"
import "../../../core/treasury/submitters.ts"
import * as Value from "../../support/chain-values.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import * as Stored from "../../support/stored-rows.ts"

const chainId = "local"
const usdc = Value.key(`0x${"a1".repeat(20)}`)
const payee = Value.key(`0x${"cd".repeat(20)}`)
const surroundings = Layer.mergeAll(world, Memory.layer(), registries)

const connectedTo = (id: string) => ({
  chain: Chain.find(id) as Chain.Chain,
  usdc,
  confirmations: 1,
  pollMs: 50
})

/** One line in records that several processes write, and what they were told of on the way. */
const records = Effect.fnUntraced(function* (held: NonNullable<Line["held"]>) {
  let line: Line = {
    number: 2,
    server: "one",
    begunAt: DateTime.formatIso(yield* DateTime.now),
    keyStore: null,
    held
  }
  const timeline = Layer.succeed(Timeline, {
    look: Effect.sync((): Standing => {
      if (line.held !== null) return { _tag: "held", line }
      const { through } = line
      return through === undefined ? { _tag: "open" } : { _tag: "open", waited: { line, through } }
    }),
    write: (from, to) =>
      Effect.sync(() => {
        if (from !== line) return false
        line = to
        return true
      }),
    keep: () => Effect.void
  })
  const become = (next: (line: Line) => Line) => {
    line = next(line)
  }
  return { timeline, become, line: () => line, held: () => line.held, through: () => line.through }
})

const through = { number: 7, hash: "the block that ended it" }
const unread = { through, after: null, isDone: false }
const ended = { ...begun, since: { [chainId]: 0 }, read: { [chainId]: unread } }

const unavailable = (id: string) =>
  new ChainUnavailable({ chainId: id, reason: "unreachable", detail: "it is away" })

/** Nodes that take so long for a page of wallets, and tell of one payment of its first one. */
const slow = (pageMs: number, failure?: ChainUnavailable) =>
  Effect.map(Submitters, (submitters) => {
    let pages = 0
    const madeBy = (_chainId: string, wallets: ReadonlyArray<AddressKey>) =>
      Effect.gen(function* () {
        pages += 1
        yield* Effect.sleep(pageMs)
        if (failure !== undefined) return yield* failure
        const [from] = wallets as readonly [AddressKey]
        const identity = from.slice(-40).padStart(64, "0")
        const paid = { to: payee, amount: { token: { chainId, address: usdc }, units: 1n } }
        return [
          { txId: TransactionId.make(identity), from, at: yield* DateTime.now, identity, paid }
        ]
      })
    const learnForgotten = () => Effect.void
    const told = { ...submitters, evm: { ...submitters.evm, madeBy, learnForgotten } }
    return { layer: Layer.succeed(Submitters, told), pages: () => pages }
  })

/** A process, by its own id, for as long as the test runs. */
const process = Effect.fnUntraced(function* <A, E, R>(id: string, layers: Layer.Layer<A, E, R>) {
  const ids = yield* Ids
  return yield* catchUp.pipe(
    Effect.provideService(Ids, { ...ids, uuid: Effect.succeed(id) }),
    Effect.provide(layers),
    Effect.forkScoped
  )
})

const wallets = Effect.fnUntraced(function* (count: number) {
  const account = yield* Stored.account()
  for (let at = 0; at < count; at++) yield* Stored.wallet(account.id, { chainId })
  return account
})

/** Time that passes step by step; an adjustment of hours at once would wake everybody at its end. */
const minutes = Effect.fnUntraced(function* (count: number) {
  for (let step = 0; step < count * 6; step++) yield* TestClock.adjust("10 seconds")
})

for (const [count, pageSeconds] of [
  [1, 150],
  [2, 100],
  [2, 150],
  [3, 200]
] as const) {
  it.effect(`${count} process(es) whose pages take ${pageSeconds} s read each page once`, () =>
    Effect.gen(function* () {
      const account = yield* wallets(2 * walletsAtOnce + 1)
      const { held, timeline } = yield* records(ended)
      const chains = Layer.mock(Chains)({ connected: [connectedTo(chainId)] })
      const { layer, pages } = yield* slow(pageSeconds * 1000)
      for (let number = 1; number <= count; number++) {
        yield* process(`process ${number}`, Layer.mergeAll(timeline, chains, layer))
      }
      yield* minutes(15)
      assert.isNull(held(), "it sends again")
      assert.strictEqual(pages(), 3)
      const used = yield* (yield* Spending).used(account.id, windowsAt(yield* DateTime.now))
      assert.strictEqual(used.monthMicro, 3n)
    }).pipe(Effect.provide(surroundings))
  )
}

it.effect("what a page told is kept although another process has the lease by then", () =>
  Effect.gen(function* () {
    yield* wallets(walletsAtOnce)
    const { become, held, timeline } = yield* records(ended)
    const chains = Layer.mock(Chains)({ connected: [connectedTo(chainId)] })
    const { layer, pages } = yield* slow(150_000)
    yield* process("this", Layer.mergeAll(timeline, chains, layer))
    yield* minutes(1)
    const until = DateTime.formatIso(DateTime.add(yield* DateTime.now, { minutes: 10 }))
    const other = { id: "another", until }
    become((line) => ({ ...line, held: line.held && { ...line.held, reader: other } }))
    yield* minutes(2)
    assert.isNotNull(held()?.read[chainId]?.after)
    assert.deepStrictEqual([held()?.charged, held()?.reader], [1, other])
    assert.strictEqual(pages(), 1, "and reads no further")
  }).pipe(Effect.provide(surroundings))
)

it.effect("a page that another process kept first is thrown away", () =>
  Effect.gen(function* () {
    const account = yield* wallets(walletsAtOnce)
    const { become, held, timeline } = yield* records(ended)
    const chains = Layer.mock(Chains)({ connected: [connectedTo(chainId)] })
    const { layer } = yield* slow(150_000)
    yield* process("this", Layer.mergeAll(timeline, chains, layer))
    yield* minutes(1)
    const until = DateTime.formatIso(DateTime.add(yield* DateTime.now, { minutes: 10 }))
    const further = {
      ...ended,
      read: { [chainId]: { ...unread, after: "somebody" } },
      reader: { id: "another", until }
    }
    become((line) => ({ ...line, held: further }))
    yield* minutes(2)
    assert.deepStrictEqual(held(), further)
    const used = yield* (yield* Spending).used(account.id, windowsAt(yield* DateTime.now))
    assert.strictEqual(used.monthMicro, 0n)
  }).pipe(Effect.provide(surroundings))
)

it.effect("a chain that does not answer keeps no other from being asked, waited for and read", () =>
  Effect.gen(function* () {
    yield* wallets(2 * walletsAtOnce + 1)
    const { held, timeline } = yield* records(begun)
    const away = unavailable("base")
    let isAway = true
    const answer = <A>(id: string, told: Effect.Effect<A>) =>
      isAway && id === "base" ? Effect.andThen(Effect.sleep("20 seconds"), away) : told
    const tip = Effect.map(DateTime.now, (timestamp) => ({ ...through, timestamp }))
    const chains = Layer.mock(Chains)({
      connected: [connectedTo("base"), connectedTo(chainId)],
      tip: (id) => Effect.suspend(() => answer(id, tip)),
      newestFinal: (id) => Effect.suspend(() => answer(id, tip)),
      finality: () => Effect.succeed("finalized" as const)
    })
    const { layer } = yield* slow(1000)
    yield* process("this", Layer.mergeAll(timeline, chains, layer))
    yield* minutes(2)
    assert.deepStrictEqual(Object.keys(held()?.since ?? {}), [chainId])
    // Its wait takes 21 minutes, and its pages a second each.
    yield* minutes(21)
    assert.isTrue(held()?.read[chainId]?.isDone)
    isAway = false
    yield* minutes(30)
    assert.isNull(held())
  }).pipe(Effect.provide(surroundings))
)

it.effect("a process whose node fails late leaves the reading to one whose node does not", () =>
  Effect.gen(function* () {
    yield* wallets(1)
    const { held, timeline } = yield* records(ended)
    const chains = Layer.mock(Chains)({ connected: [connectedTo(chainId)] })
    const failing = yield* slow(100_000, unavailable(chainId))
    yield* process("failing", Layer.mergeAll(timeline, chains, failing.layer))
    yield* minutes(1)
    assert.strictEqual(held()?.reader?.id, "failing")
    const { layer } = yield* slow(100_000)
    yield* process("other", Layer.mergeAll(timeline, chains, layer))
    yield* minutes(10)
    assert.isNull(held())
  }).pipe(Effect.provide(surroundings))
)

it.effect("a process that ends leaves the reading to the next at once, if it has it", () =>
  Effect.gen(function* () {
    yield* wallets(1)
    const { held, timeline } = yield* records(ended)
    const chains = Layer.mock(Chains)({ connected: [connectedTo(chainId)] })
    const { layer, pages } = yield* slow(20_000)
    const layers = Layer.mergeAll(timeline, chains, layer)
    const first = yield* process("first", layers)
    yield* TestClock.adjust("5 seconds")
    const idle = yield* process("idle", layers)
    yield* TestClock.adjust("5 seconds")
    yield* Fiber.interrupt(idle)
    assert.strictEqual(held()?.reader?.id, "first")
    yield* Fiber.interrupt(first)
    assert.isNull(held()?.reader)
    yield* process("next", layers)
    yield* TestClock.adjust("21 seconds")
    assert.isTrue(held() === null || held()?.read[chainId]?.isDone)
    assert.strictEqual(pages(), 2)
  }).pipe(Effect.provide(surroundings))
)

/** The chain that never answers. */
const silent = "base"

/** Nodes whose newest block is of now, and final. */
const chainsOf = (...ids: ReadonlyArray<string>) => {
  const tip = Effect.map(DateTime.now, (timestamp) => ({ ...through, timestamp }))
  const answer = (id: string) => (id === silent ? unavailable(id) : tip)
  return Layer.mock(Chains)({
    connected: ids.map(connectedTo),
    tip: answer,
    newestFinal: answer,
    finality: () => Effect.succeed("finalized" as const)
  })
}

const second = "local-2"

it.effect("a chain that only one of two processes is connected to is read by that one", () =>
  Effect.gen(function* () {
    const account = yield* wallets(1)
    for (let count = 0; count < walletsAtOnce + 1; count++) {
      yield* Stored.wallet(account.id, { chainId: second })
    }
    const { become, held, line, timeline, through: readThrough } = yield* records(ended)
    const fenced = Math.floor((yield* DateTime.now).epochMilliseconds / 1000)
    become((line) => ({ ...line, through: { [chainId]: through }, fenced, held: null }))
    const { layer, pages } = yield* slow(100_000)
    const process1 = Layer.mergeAll(timeline, chainsOf(chainId, second), layer)
    const process2 = Layer.mergeAll(timeline, chainsOf(chainId), layer)
    yield* process("with both", process1)
    yield* process("with one", process2)
    yield* minutes(23)
    assert.isFalse(line().late?.[second]?.read[second]?.isDone, "the second chain is read")
    assert.isNull(held(), "and the first one sends")
    yield* minutes(5)
    assert.isNull(held())
    assert.deepStrictEqual(Object.keys(readThrough() ?? {}).toSorted(), [chainId, second])
    assert.strictEqual(pages(), 2, "each page of it once")
    const used = yield* (yield* Spending).used(account.id, windowsAt(yield* DateTime.now))
    assert.strictEqual(used.monthMicro, 2n)
  }).pipe(Effect.provide(surroundings))
)

it.effect("a chain that nobody reads any more is let go unread, and read by whoever comes", () =>
  Effect.gen(function* () {
    const account = yield* Stored.account()
    yield* Stored.wallet(account.id, { chainId: second })
    const { become, held, timeline, through: readThrough } = yield* records(ended)
    const until = DateTime.formatIso(DateTime.add(yield* DateTime.now, { seconds: 90 }))
    become((line) => ({
      ...line,
      held: {
        ...begun,
        since: { [chainId]: 0, [second]: 0 },
        read: { [chainId]: { ...unread, isDone: true }, [second]: unread },
        reader: { id: "dead", until }
      }
    }))
    const { layer, pages } = yield* slow(1000)
    yield* process("with one", Layer.mergeAll(timeline, chainsOf(chainId), layer))
    yield* minutes(1)
    assert.isNotNull(held(), "the other may only be slow")
    yield* minutes(1)
    assert.isNull(held(), "sending goes on")
    assert.deepStrictEqual(readThrough(), { [chainId]: through })
    yield* process("with both", Layer.mergeAll(timeline, chainsOf(chainId, second), layer))
    yield* minutes(24)
    assert.isNull(held())
    assert.deepStrictEqual(Object.keys(readThrough() ?? {}).toSorted(), [chainId, second])
    assert.strictEqual(pages(), 1)
  }).pipe(Effect.provide(surroundings))
)

it.effect("a chain that is late waits for no other late one", () =>
  Effect.gen(function* () {
    const { become, held, timeline, through: readThrough } = yield* records(ended)
    become((line) => ({ ...line, through: { [chainId]: through }, fenced: 0, held: null }))
    const { layer } = yield* slow(1000)
    const chains = chainsOf(chainId, silent, second)
    yield* process("this", Layer.mergeAll(timeline, chains, layer))
    yield* minutes(25)
    assert.deepStrictEqual(Object.keys(readThrough() ?? {}).toSorted(), [chainId, second])
    assert.isNull(held(), "and not for the one that never answers")
  }).pipe(Effect.provide(surroundings))
)

it.effect("a late chain whose node has heads and no history keeps only itself from sending", () =>
  Effect.gen(function* () {
    const account = yield* Stored.account()
    yield* Stored.wallet(account.id, { chainId: second })
    const { become, held, line, timeline, through: readThrough } = yield* records(ended)
    become((line) => ({ ...line, through: { [chainId]: through }, fenced: 0, held: null }))
    const broken = yield* slow(1000, unavailable(second))
    const chains = chainsOf(chainId, second)
    const dying = yield* process("dies", Layer.mergeAll(timeline, chains, broken.layer))
    for (let step = 0; step < 25; step++) {
      yield* minutes(1)
      assert.isNull(held(), `nothing else is held after ${step + 1} minutes`)
      assert.deepStrictEqual(Object.keys(readThrough() ?? {}), [chainId])
    }
    const since = line().connectedAt?.[second]
    assert.isDefined(since)
    yield* Fiber.interrupt(dying)
    yield* process("comes after it", Layer.mergeAll(timeline, chains, broken.layer))
    yield* minutes(5)
    assert.isNull(held())
    assert.deepStrictEqual(Object.keys(readThrough() ?? {}), [chainId])
    assert.strictEqual(line().connectedAt?.[second], since, "it is as late as it was")
    const { layer } = yield* slow(1000)
    yield* process("has the history", Layer.mergeAll(timeline, chains, layer))
    yield* minutes(4)
    assert.deepStrictEqual(Object.keys(readThrough() ?? {}).toSorted(), [chainId, second])
    assert.deepStrictEqual([line().late, line().connectedAt], [undefined, undefined])
    const used = yield* (yield* Spending).used(account.id, windowsAt(yield* DateTime.now))
    assert.strictEqual(used.monthMicro, 1n)
  }).pipe(Effect.provide(surroundings))
)

it.effect(
  "a late chain goes on where a process that died had come, and others are never held",
  () =>
    Effect.gen(function* () {
      const account = yield* Stored.account()
      for (let count = 0; count < walletsAtOnce + 1; count++) {
        yield* Stored.wallet(account.id, { chainId: second })
      }
      const { become, held, line, timeline, through: readThrough } = yield* records(ended)
      // As an earlier version left it: all held for the chain that is late.
      become((line) => ({
        ...line,
        through: { [chainId]: through },
        fenced: 0,
        held: {
          ...begun,
          since: { [chainId]: 0, [second]: 0 },
          read: { [chainId]: { ...unread, isDone: true }, [second]: unread }
        }
      }))
      const { layer, pages } = yield* slow(100_000)
      const layers = Layer.mergeAll(timeline, chainsOf(chainId, second), layer)
      const dying = yield* process("dies", layers)
      yield* minutes(1)
      assert.isNull(held(), "it is read by itself from now on")
      yield* minutes(22)
      yield* Fiber.interrupt(dying)
      assert.deepStrictEqual(Object.keys(readThrough() ?? {}), [chainId])
      assert.isNotNull(line().late?.[second]?.read[second]?.after)
      yield* process("comes after it", layers)
      yield* minutes(5)
      assert.isNull(held())
      assert.deepStrictEqual(Object.keys(readThrough() ?? {}).toSorted(), [chainId, second])
      // The page that was under way is asked for again, and nothing counts twice.
      assert.isAtMost(pages(), 3)
      const used = yield* (yield* Spending).used(account.id, windowsAt(yield* DateTime.now))
      assert.strictEqual(used.monthMicro, 2n)
    }).pipe(Effect.provide(surroundings))
)
