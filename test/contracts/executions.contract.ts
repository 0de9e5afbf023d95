/** What every store of executions must do: a proposal has one, it is claimed in turn, and its order stands. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { Executions } from "../../core/submissions/execution-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as ExecutionQueue from "../support/execution-queue.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"

type Stores = Executions | Proposals | Wallets | Accounts | Atomically

export const suite = (name: string, books: Layer.Layer<Stores>) => {
  queueSuite(name, books)
  writingSuite(name, books)
  nonceSuite(name, books)
}

const queueSuite = (name: string, books: Layer.Layer<Stores>) =>
  layer(books)(`${name}: executions, the queue`, (it) => {
    it.effect("a proposal has one execution", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        const execution = yield* ExecutionQueue.anExecution({ nextLookAt: Rows.at(0.123) })
        assert.isUndefined(yield* executions.find(execution.proposalId))
        yield* executions.queue(execution)
        const again = yield* Effect.exit(executions.queue({ ...execution, amountMicro: 1n }))
        assert.isTrue(Exit.isFailure(again))
        assert.deepStrictEqual(yield* executions.find(execution.proposalId), execution)
      })
    )

    it.effect("an execution is queued with its transaction or not at all", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        const { run } = yield* Atomically
        const execution = yield* ExecutionQueue.anExecution()
        yield* Effect.flip(run(Effect.andThen(executions.queue(execution), Effect.fail("no"))))
        assert.isUndefined(yield* executions.find(execution.proposalId))
        yield* executions.queue(execution)
      })
    )

    it.effect("only what is due is claimed, the longest due first", () =>
      Effect.gen(function* () {
        yield* ExecutionQueue.emptyQueue
        const rows = yield* ExecutionQueue.queued([5, 1, 9, 20, 9.001])
        const claimed = yield* ExecutionQueue.claimAt(9, 2)
        assert.deepStrictEqual(
          claimed.map(({ execution }) => execution),
          [rows[1], rows[0]].flatMap((row) => (row === undefined ? [] : [row]))
        )
        const rest = yield* ExecutionQueue.claimAt(9)
        assert.deepStrictEqual(ExecutionQueue.idsOf(rest), [rows[2]?.proposalId ?? ""])
        assert.deepStrictEqual(yield* ExecutionQueue.claimAt(9), [])
      })
    )

    it.effect("64 claims at once hand out each execution once", () =>
      Effect.gen(function* () {
        yield* ExecutionQueue.emptyQueue
        const rows = yield* ExecutionQueue.queued(Array(40).fill(0))
        const claims = yield* Effect.all(
          Array.from({ length: 64 }, () => ExecutionQueue.claimAt(1, 3)),
          { concurrency: "unbounded" }
        )
        const claimed = [...claims.flat(), ...(yield* ExecutionQueue.claimAt(1))]
        assert.sameMembers(
          [...ExecutionQueue.idsOf(claimed)],
          rows.map(({ proposalId }) => proposalId)
        )
        assert.strictEqual(new Set(claimed.map(({ lease }) => lease)).size, claimed.length)
        assert.isTrue(claims.every((each) => each.length <= 3))
      })
    )
  })

const writingSuite = (name: string, books: Layer.Layer<Stores>) =>
  layer(books)(`${name}: executions, what is written down`, (it) => {
    it.effect("every step is read back as it was written, to the last wei", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* ExecutionQueue.emptyQueue
        yield* ExecutionQueue.queued([0])
        const [claimed] = yield* ExecutionQueue.claimAt(0)
        if (claimed === undefined) return assert.fail("nothing claimed")
        const authorization = {
          ...SendingRows.anAuthorization(claimed.execution),
          amountMicro: 9_007_199_254_740_993n
        }
        const signed = { ...claimed.execution, step: "signed", authorization } as const
        const carriers = [
          SendingRows.aCarrier({ maxFeePerGas: 123_456_789_012_345_678_901n, at: Rows.at(1.001) }),
          SendingRows.aCarrier({ maxPriorityFeePerGas: 9_007_199_254_740_993n })
        ]
        const wrapped = SendingRows.wrapped(signed, { authorization, carriers })
        const broadcast = { ...wrapped, step: "broadcast", nextLookAt: Rows.at(3.5) } as const
        for (const step of [signed, wrapped, broadcast]) {
          assert.isTrue(yield* executions.note(claimed.lease, step))
          assert.deepStrictEqual(yield* executions.find(step.proposalId), step)
        }
        const settled = SendingRows.settled(broadcast)
        assert.isTrue(yield* executions.conclude(claimed.lease, settled))
        assert.deepStrictEqual(yield* executions.find(settled.proposalId), settled)
      })
    )

    it.effect("an approval is read back as one, with the permit that was signed for it", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* ExecutionQueue.emptyQueue
        const order = yield* ExecutionQueue.anExecution({ act: "permit" })
        yield* executions.queue(order)
        const [claimed] = yield* ExecutionQueue.claimAt(0)
        assert.deepStrictEqual(claimed?.execution, order)
        const authorization = { ...SendingRows.anAuthorization(order), nonce: "7" }
        const signed = { ...order, step: "signed", authorization } as const
        assert.isTrue(yield* executions.note(claimed?.lease ?? "", signed))
        assert.deepStrictEqual(yield* executions.find(order.proposalId), signed)
        const unsigned = { ...SendingRows.wrapped(signed), ...order, nextLookAt: Rows.at(1) }
        assert.isTrue(yield* executions.conclude(claimed?.lease ?? "", unsigned))
        assert.deepStrictEqual(yield* executions.find(order.proposalId), unsigned)
      })
    )

    it.effect("what is to be paid, to whom and from where is never written again", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* ExecutionQueue.emptyQueue
        const [order] = yield* ExecutionQueue.queued([0])
        const [claimed] = yield* ExecutionQueue.claimAt(0)
        if (order === undefined || claimed === undefined) return assert.fail("nothing claimed")
        const forged = {
          accountId: Rows.anId(),
          walletId: Rows.anId(),
          key: Rows.aKeyRef(),
          chainId: Rows.aChainId(),
          act: "permit" as const,
          from: Rows.anAddress(),
          to: Rows.anAddress(),
          amountMicro: 1n,
          createdAt: Rows.at(9)
        }
        const step = { nextLookAt: Rows.at(5), updatedAt: Rows.at(4) }
        yield* executions.note(claimed.lease, { ...order, ...step, ...forged })
        assert.deepStrictEqual(yield* executions.find(order.proposalId), { ...order, ...step })
        yield* executions.conclude(claimed.lease, { ...order, ...step, ...forged })
        assert.deepStrictEqual(yield* executions.find(order.proposalId), { ...order, ...step })
      })
    )

    it.effect("no two executions of a chain carry one nonce of a relayer; another chain may", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* ExecutionQueue.emptyQueue
        const [first, second, elsewhere] = [
          yield* ExecutionQueue.anExecution(),
          yield* ExecutionQueue.anExecution(),
          yield* ExecutionQueue.anExecution()
        ]
        const onOneChain = { ...second, chainId: first.chainId }
        yield* Effect.forEach([first, onOneChain, elsewhere], executions.queue)
        const leases = new Map(
          (yield* ExecutionQueue.claimAt(0)).map(({ execution, lease }) => [
            execution.proposalId,
            lease
          ])
        )
        const wrap = (execution: typeof first) =>
          executions.note(
            leases.get(execution.proposalId) ?? "",
            SendingRows.wrapped(execution, { relayerNonce: 7 })
          )
        assert.isTrue(yield* wrap(first))
        assert.isTrue(Exit.isFailure(yield* Effect.exit(wrap(onOneChain))))
        assert.deepStrictEqual(yield* executions.find(onOneChain.proposalId), onOneChain)
        assert.isTrue(yield* wrap(elsewhere))
      })
    )
  })

const relayer = SendingRows.someRelayer

const nonceSuite = (name: string, books: Layer.Layer<Stores>) =>
  layer(books)(`${name}: relayer nonces`, (it) => {
    it.effect("of 50 transactions at once each gets its own nonce, without a gap or a twin", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        const { run } = yield* Atomically
        const chainId = Rows.aChainId()
        const taken = yield* Effect.all(
          Array.from({ length: 50 }, () => run(executions.takeRelayerNonce(chainId, relayer, 3))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          taken.toSorted((a, b) => a - b),
          Array.from({ length: 50 }, (_, index) => index + 3)
        )
      })
    )

    it.effect(
      "a nonce is given again when its transaction is rolled back, whatever runs beside it",
      () =>
        Effect.gen(function* () {
          const executions = yield* Executions
          const { run } = yield* Atomically
          const chainId = Rows.aChainId()
          const take = executions.takeRelayerNonce(chainId, relayer, 0)
          const lose = Effect.exit(run(Effect.andThen(take, Effect.fail("no"))))
          yield* lose
          assert.strictEqual(yield* run(take), 0)
          yield* lose
          assert.strictEqual(yield* run(take), 1)
          const taken: Array<number> = []
          const keep = Effect.flatMap(run(take), (nonce) => Effect.sync(() => taken.push(nonce)))
          yield* Effect.all(
            Array.from({ length: 50 }, (_, index) => (index % 5 === 0 ? lose : keep)),
            { concurrency: "unbounded", discard: true }
          )
          assert.deepStrictEqual(
            taken.toSorted((a, b) => a - b),
            Array.from({ length: 40 }, (_, index) => index + 2)
          )
        })
    )

    it.effect("the chain's count raises the nonce and never lowers it; chains count apart", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        const { run } = yield* Atomically
        const [chainId, other] = [Rows.aChainId(), Rows.aChainId()]
        const take = (chain: string, count: number, by = relayer) =>
          run(executions.takeRelayerNonce(chain, by, count))
        const taken = yield* Effect.forEach([0, 0, 1, 9, 4, 11, 12], (count) =>
          take(chainId, count)
        )
        assert.deepStrictEqual(taken, [0, 1, 2, 9, 10, 11, 12])
        assert.strictEqual(yield* take(other, 5), 5)
        assert.strictEqual(yield* take(chainId, 0), 13)
        const another = `0x${"71".repeat(20)}`
        assert.strictEqual(yield* take(chainId, 2, another), 2)
        assert.strictEqual(yield* take(chainId, 2, another), 3)
        assert.strictEqual(yield* take(chainId, 0), 14)
      })
    )

    it.effect("who holds a nonce is known until it is settled", () =>
      Effect.gen(function* () {
        const executions = yield* Executions
        yield* ExecutionQueue.emptyQueue
        const [execution] = yield* ExecutionQueue.queued([0])
        const [claimed] = yield* ExecutionQueue.claimAt(0)
        if (execution === undefined || claimed === undefined) return assert.fail("nothing claimed")
        const { chainId } = execution
        const holds = (first: number, before: number, by = relayer) =>
          executions.holdsNonce(chainId, by, first, before)
        assert.isFalse(yield* holds(0, 100))
        const holding = { ...execution, relayer, relayerNonce: 7, updatedAt: Rows.at(1) }
        assert.isTrue(yield* executions.note(claimed.lease, holding))
        assert.deepStrictEqual(yield* executions.find(execution.proposalId), holding)
        const ranges = [
          [7, 8],
          [0, 100],
          [0, 7],
          [8, 100],
          [7, 7]
        ] as const
        const held = yield* Effect.forEach(ranges, ([first, before]) => holds(first, before))
        assert.deepStrictEqual(held, [true, true, false, false, false])
        assert.isFalse(yield* holds(0, 100, "0xanother"))
        assert.isFalse(yield* executions.holdsNonce(Rows.aChainId(), relayer, 0, 100))
        yield* executions.conclude(claimed.lease, SendingRows.settled(holding))
        assert.isFalse(yield* holds(0, 100))
      })
    )
  })
