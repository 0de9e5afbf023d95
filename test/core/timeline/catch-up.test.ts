/** A process that lives through several waits: each ends by blocks of its own, and none by those of an earlier one. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import { type AddressKey, keyOf, TransactionId } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { type Block, Chains, ChainUnavailable } from "../../../core/ports/chains.ts"
import { type Reach, Submitters } from "../../../core/submissions/submitter.ts"
import { begun, type Line, type Standing, Timeline } from "../../../core/timeline/timeline.ts"
import { catchUpOnce } from "../../../core/treasury/catch-up.ts"
import { longestSeconds, newProgress } from "../../../core/treasury/chain-steps.ts"
import { walletsAtOnce } from "../../../core/treasury/charge-unexplained.ts"
import "../../../core/treasury/submitters.ts"
import * as Value from "../../support/chain-values.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import * as Stored from "../../support/stored-rows.ts"

const chainId = "local"
const usdc = Value.key(`0x${"a1".repeat(20)}`)
const surroundings = Layer.mergeAll(world, Memory.layer(), registries)
const beginning = 1_900_000_000

const blockAt = (seconds: number): Block => ({
  number: seconds - beginning + 1,
  hash: `block at ${seconds}`,
  timestamp: DateTime.makeUnsafe(seconds * 1000)
})

it.effect("a second wait of one process ends like the first", () =>
  Effect.gen(function* () {
    let newest = blockAt(beginning)
    let line: Line | undefined
    const hold = (number: number, since: number) => {
      const begunAt = DateTime.formatIso(DateTime.makeUnsafe(since * 1000))
      line = {
        number,
        server: "one",
        begunAt,
        keyStore: null,
        held: { ...begun, since: { [chainId]: since } }
      }
    }
    const chains = Layer.mock(Chains)({
      connected: [
        {
          chain: Chain.find(chainId) as Chain.Chain,
          usdc: Value.key(`0x${"a1".repeat(20)}`),
          confirmations: 1,
          pollMs: 50
        }
      ],
      newestFinal: () => Effect.sync(() => newest),
      finality: () => Effect.succeed("finalized" as const)
    })
    const timeline = Layer.succeed(Timeline, {
      look: Effect.sync(
        (): Standing =>
          line === undefined || line.held === null ? { _tag: "open" } : { _tag: "held", line }
      ),
      write: (_from, to) =>
        Effect.sync(() => {
          line = to
          return true
        }),
      keep: () => Effect.void
    })
    const turn = catchUpOnce(yield* newProgress("this")).pipe(Effect.provide([chains, timeline]))
    for (const [number, since] of [
      [2, beginning],
      [3, beginning + 50_000]
    ] as const) {
      hold(number, since)
      newest = blockAt(since + longestSeconds - 1)
      yield* turn
      assert.isNotNull(line?.held, `line ${number} waits for what was signed before`)
      newest = blockAt(since + longestSeconds)
      for (let step = 0; step < 4; step++) yield* turn
      assert.isNull(line?.held, `line ${number} sends again`)
    }
  }).pipe(Effect.provide(Layer.mergeAll(world, Memory.layer(), registries)))
)

/** Records in a wait whose chain has ended it, and what one process does with them. */
const reading = Effect.fnUntraced(function* (reader: NonNullable<Line["held"]>["reader"]) {
  const through = { number: 7, hash: "the block that ended it" }
  const read = { [chainId]: { through, after: null, isDone: false } }
  let line: Line = {
    number: 2,
    server: "one",
    begunAt: DateTime.formatIso(yield* DateTime.now),
    keyStore: null,
    held: { ...begun, since: { [chainId]: 0 }, read, reader }
  }
  const timeline = Layer.succeed(Timeline, {
    look: Effect.sync((): Standing => ({ _tag: "held", line })),
    write: (from, to) =>
      Effect.sync(() => {
        if (from !== line) return false
        line = to
        return true
      }),
    keep: () => Effect.void
  })
  const chains = Layer.mock(Chains)({
    connected: [{ chain: Chain.find(chainId) as Chain.Chain, usdc, confirmations: 1, pollMs: 50 }]
  })
  const turn = catchUpOnce(yield* newProgress("this")).pipe(Effect.provide([chains, timeline]))
  return { turn, held: () => line.held }
})

it.effect("what another process reads is left alone until its time is over", () =>
  Effect.gen(function* () {
    const until = DateTime.formatIso(DateTime.add(yield* DateTime.now, { seconds: 60 }))
    const { held, turn } = yield* reading({ id: "another", until })
    assert.strictEqual(yield* turn, 5000)
    assert.deepStrictEqual(held()?.reader, { id: "another", until })
    yield* TestClock.adjust("61 seconds")
    yield* turn
    assert.strictEqual(held()?.reader?.id, "this")
    yield* turn
    assert.isTrue(held()?.read[chainId]?.isDone)
  }).pipe(Effect.provide(surroundings))
)

it.effect("wallets are read a page at a time, and by nobody who lacks the block", () =>
  Effect.gen(function* () {
    const account = yield* Stored.account()
    for (let at = 0; at < walletsAtOnce; at++) yield* Stored.wallet(account.id, { chainId })
    const { held, turn } = yield* reading(null)
    yield* turn
    const failure = yield* Effect.flip(turn)
    assert.strictEqual(failure._tag, "ChainUnavailable")
    assert.isNull(held()?.read[chainId]?.after)
    const submitters = yield* Submitters
    const asked: Array<number> = []
    const at = yield* DateTime.now
    const payee = Value.key(`0x${"cd".repeat(20)}`)
    const told = {
      ...submitters,
      evm: {
        ...submitters.evm,
        madeBy: (_chainId: string, wallets: ReadonlyArray<AddressKey>) =>
          Effect.sync(() => {
            asked.push(wallets.length)
            const [from] = wallets as readonly [AddressKey]
            const made = (identity: string, micro: bigint) => ({
              txId: TransactionId.make(identity),
              from,
              at,
              identity,
              paid: { to: payee, amount: { token: { chainId, address: usdc }, units: micro } }
            })
            return [
              made("a".repeat(64), 7n),
              { ...made("b".repeat(64), 5n), isBurn: true as const }
            ]
          })
      }
    }
    yield* Effect.provideService(turn, Submitters, told)
    assert.isNotNull(held()?.read[chainId]?.after)
    assert.isFalse(held()?.read[chainId]?.isDone)
    yield* Effect.provideService(turn, Submitters, told)
    assert.isTrue(held()?.read[chainId]?.isDone)
    assert.deepStrictEqual(asked, [walletsAtOnce])
    yield* turn
    assert.isNull(held())
    // What was burnt arrives at a wallet of the account, and is in no cap.
    const used = yield* (yield* Spending).used(account.id, windowsAt(at))
    assert.strictEqual(used.dayMicro, 7n)
  }).pipe(Effect.provide(surroundings))
)

it.effect("what a page of wallets sent and the records forgot is kept before the page is", () =>
  Effect.gen(function* () {
    const account = yield* Stored.account()
    const wallet = yield* Stored.wallet(account.id, { chainId })
    const { held, turn } = yield* reading(null)
    yield* turn
    const submitters = yield* Submitters
    const asked: Array<ReadonlyArray<AddressKey>> = []
    const learning = (failure?: ChainUnavailable) => ({
      ...submitters,
      evm: {
        ...submitters.evm,
        madeBy: () => Effect.succeed([]),
        learnForgotten: (_chainId: string, wallets: ReadonlyArray<AddressKey>) =>
          Effect.andThen(
            Effect.sync(() => asked.push(wallets)),
            failure ?? Effect.void
          )
      }
    })
    const away = new ChainUnavailable({ chainId, reason: "unreachable", detail: "it is away" })
    const failure = yield* Effect.flip(Effect.provideService(turn, Submitters, learning(away)))
    assert.strictEqual(failure, away)
    assert.isNull(held()?.read[chainId]?.after)
    yield* Effect.provideService(turn, Submitters, learning())
    const own = [keyOf(chainId, wallet.address)]
    assert.deepStrictEqual(asked, [own, own])
    assert.isTrue(held()?.read[chainId]?.isDone)
  }).pipe(Effect.provide(surroundings))
)

it.effect("who tells must have kept the month of the begin, or all since the oldest wallet", () =>
  Effect.gen(function* () {
    const account = yield* Stored.account()
    const submitters = yield* Submitters
    const reaches: Array<Reach | undefined> = []
    const told = {
      ...submitters,
      evm: {
        ...submitters.evm,
        madeBy: (_chainId: string, _wallets: ReadonlyArray<AddressKey>, reach?: Reach) =>
          Effect.sync(() => {
            reaches.push(reach)
            return []
          })
      }
    }
    const asked = Effect.fnUntraced(function* (createdAt: string) {
      yield* Stored.wallet(account.id, { chainId, createdAt: DateTime.makeUnsafe(createdAt) })
      yield* TestClock.setTime(Date.parse("2030-03-20T12:00:00Z"))
      const { turn } = yield* reading(null)
      yield* turn
      yield* Effect.provideService(turn, Submitters, told)
      const { keptSince, paidSince } = reaches.at(-1) ?? assert.fail("nobody was asked")
      assert.isDefined(paidSince)
      return [paidSince, keptSince].map(DateTime.formatIso)
    })
    const month = "2030-03-01T00:00:00.000Z"
    // One that was opened after the begin may be one that the records had forgotten.
    assert.deepStrictEqual(yield* asked("2030-03-21T00:00:00Z"), [
      month,
      "2030-03-20T12:00:00.000Z"
    ])
    assert.deepStrictEqual(yield* asked("2030-03-11T00:00:00Z"), [
      month,
      "2030-03-11T00:00:00.000Z"
    ])
    assert.deepStrictEqual(yield* asked("2030-01-05T00:00:00Z"), [month, month])
  }).pipe(Effect.provide(surroundings))
)

it.effect("a chain that was not connected during the wait is read once it is", () =>
  Effect.gen(function* () {
    const late = "local-2"
    const account = yield* Stored.account()
    const wallet = yield* Stored.wallet(account.id, { chainId: late })
    const fenced = beginning
    const begunAt = DateTime.makeUnsafe(fenced * 1000)
    const first = { number: 7, hash: "the block that ended the wait" }
    let line: Line = {
      ...{ number: 2, server: "one", begunAt: DateTime.formatIso(begunAt), keyStore: null },
      ...{ through: { [chainId]: first }, fenced, held: null }
    }
    const timeline = Layer.succeed(Timeline, {
      look: Effect.sync((): Standing => {
        if (line.held !== null) return { _tag: "held", line }
        return { _tag: "open", waited: { line, through: line.through ?? {} } }
      }),
      write: (from, to) =>
        Effect.sync(() => {
          if (from !== line) return false
          line = to
          return true
        }),
      keep: () => Effect.void
    })
    let newest: Block | undefined
    const connected = [chainId, late].map((id) => ({
      ...{ chain: Chain.find(id) as Chain.Chain, usdc, confirmations: 1, pollMs: 50 }
    }))
    const chains = Layer.mock(Chains)({
      connected,
      newestFinal: (id) =>
        newest === undefined
          ? Effect.fail(new ChainUnavailable({ chainId: id, reason: "unreachable", detail: "" }))
          : Effect.succeed(newest),
      finality: () => Effect.succeed("finalized" as const)
    })
    const submitters = yield* Submitters
    const asked: Array<string> = []
    const told = {
      ...submitters,
      evm: {
        ...submitters.evm,
        learnForgotten: () => Effect.void,
        madeBy: (id: string, [from]: ReadonlyArray<AddressKey>) =>
          Effect.sync(() => {
            asked.push(id)
            const amount = { token: { chainId: late, address: usdc }, units: 7n }
            const identity = "a".repeat(64)
            const paid = { to: Value.key(`0x${"cd".repeat(20)}`), amount }
            const txId = TransactionId.make(identity)
            return from === undefined ? [] : [{ txId, from, at: begunAt, identity, paid }]
          })
      }
    }
    const turn = catchUpOnce(yield* newProgress("this")).pipe(
      Effect.provide([chains, timeline]),
      Effect.provideService(Submitters, told)
    )
    const lines: Array<string> = []
    const hearing = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    yield* turn
    const connectedAt = line.connectedAt?.[late]
    assert.strictEqual(connectedAt, DateTime.formatIso(yield* DateTime.now))
    const before = line
    for (let step = 0; step < 3; step++) {
      yield* Effect.provide(turn, hearing)
      yield* TestClock.adjust("31 seconds")
    }
    assert.strictEqual(line, before, "a chain that does not answer holds nobody up")
    assert.lengthOf(lines, 1, "and the log says so once")
    assert.match(lines[0] ?? "", /local-2 was not connected .* cannot be read yet/u)
    newest = blockAt(fenced + longestSeconds - 1)
    yield* turn
    assert.strictEqual(line, before, "what was signed before may still be carried out there")
    newest = blockAt(fenced + longestSeconds)
    assert.strictEqual(yield* turn, 0)
    for (let step = 0; step < 3; step++) {
      assert.isNull(line.held, "the others send while it is read")
      assert.isUndefined(line.through?.[late], "and nothing is signed there")
      yield* turn
    }
    assert.isNull(line.held)
    const { hash, number } = newest
    assert.deepStrictEqual(line.through, { [chainId]: first, [late]: { number, hash } })
    assert.deepStrictEqual(asked, [late], "what was read is not read again")
    const used = yield* (yield* Spending).used(wallet.accountId, windowsAt(begunAt))
    assert.strictEqual(used.dayMicro, 7n)
    const after = line
    yield* turn
    assert.strictEqual(line, after)
  }).pipe(Effect.provide(surroundings))
)

it.effect("where nobody knows by when earlier signers were fenced, they are by now", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(beginning * 1000)
    let line: Line = {
      ...{ number: 2, server: "one", begunAt: DateTime.formatIso(yield* DateTime.now) },
      ...{ keyStore: null, through: {}, held: null }
    }
    const timeline = Layer.succeed(Timeline, {
      look: Effect.sync((): Standing => ({ _tag: "open", waited: { line, through: {} } })),
      write: (_from, to) =>
        Effect.sync(() => {
          line = to
          return true
        }),
      keep: () => Effect.void
    })
    const chains = Layer.mock(Chains)({
      connected: [{ chain: Chain.find(chainId) as Chain.Chain, usdc, confirmations: 1, pollMs: 50 }]
    })
    yield* Effect.provide(catchUpOnce(yield* newProgress("this")), [chains, timeline])
    assert.strictEqual(line.fenced, beginning)
    assert.isNull(line.held)
  }).pipe(Effect.provide(surroundings))
)

it.effect("a key store that is away is told with all that waits for it", () =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const hearing = Logger.layer([Logger.make(({ message }) => void lines.push(String(message)))])
    const line: Line = { number: 2, server: "one", begunAt: "", keyStore: "k", held: begun }
    const away: ReadonlyArray<Standing> = [
      { _tag: "missing", line },
      { _tag: "silent", detail: "/keys does not answer." }
    ]
    for (const standing of away) {
      const timeline = Layer.succeed(Timeline, {
        look: Effect.succeed(standing),
        write: () => Effect.succeed(false),
        keep: () => Effect.void
      })
      yield* Effect.provide(catchUpOnce(yield* newProgress("this")), [timeline, hearing])
    }
    assert.lengthOf(lines, 2)
    for (const each of lines) assert.match(each, /webhooks and audit checkpoints wait/u)
  }).pipe(Effect.provide(surroundings))
)
