/** What every store of submissions must do with relayers' nonces: give each once, and know who holds it. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Value from "../support/chain-values.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"

type Stores = SubmissionStore | Proposals | Wallets | Accounts | Atomically

const relayer = SendingRows.someRelayer

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: relayer nonces`, (it) => {
    it.effect("of 50 transactions at once each gets its own nonce, without a gap or a twin", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Atomically
        const chainId = Rows.aChainId()
        const taken = yield* Effect.all(
          Array.from({ length: 50 }, () => run(store.takeSequences(chainId, relayer, 3, 1))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          taken.toSorted((a, b) => a - b),
          Array.from({ length: 50 }, (_, index) => index + 3)
        )
      })
    )

    it.effect("several that are taken together follow one another", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const chainId = Rows.aChainId()
        const take = (count: number, howMany: number) =>
          store.takeSequences(chainId, relayer, count, howMany)
        assert.strictEqual(yield* take(3, 5), 3)
        assert.strictEqual(yield* take(0, 2), 8)
        assert.strictEqual(yield* take(20, 3), 20)
        assert.strictEqual(yield* take(0, 1), 23)
      })
    )

    it.effect(
      "a nonce is given again when its transaction is rolled back, whatever runs beside it",
      () =>
        Effect.gen(function* () {
          const store = yield* SubmissionStore
          const { run } = yield* Atomically
          const chainId = Rows.aChainId()
          const take = store.takeSequences(chainId, relayer, 0, 1)
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
        const store = yield* SubmissionStore
        const { run } = yield* Atomically
        const [chainId, other] = [Rows.aChainId(), Rows.aChainId()]
        const take = (chain: string, count: number, by = relayer) =>
          run(store.takeSequences(chain, by, count, 1))
        const taken = yield* Effect.forEach([0, 0, 1, 9, 4, 11, 12], (count) =>
          take(chainId, count)
        )
        assert.deepStrictEqual(taken, [0, 1, 2, 9, 10, 11, 12])
        assert.strictEqual(yield* take(other, 5), 5)
        assert.strictEqual(yield* take(chainId, 0), 13)
        const another = Value.key(`0x${"71".repeat(20)}`)
        assert.strictEqual(yield* take(chainId, 2, another), 2)
        assert.strictEqual(yield* take(chainId, 2, another), 3)
        assert.strictEqual(yield* take(chainId, 0), 14)
      })
    )

    it.effect("who holds a nonce is known until that is closed", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        const [submission] = yield* SubmissionQueue.queued([0])
        const [claimed] = yield* SubmissionQueue.claimAt(0)
        if (submission === undefined || claimed === undefined) return assert.fail("nothing claimed")
        const { chainId } = submission
        const holds = (first: number, before: number, by = relayer) =>
          store.holdsSequence(chainId, by, first, before)
        assert.isFalse(yield* holds(0, 100))
        const holding = { ...submission, relayer, relayerSequence: 7, updatedAt: Rows.at(1) }
        assert.isTrue(yield* SubmissionQueue.note(claimed.lease, holding))
        assert.deepStrictEqual(yield* store.find(submission.key), holding)
        const ranges = [
          [7, 8],
          [0, 100],
          [0, 7],
          [8, 100],
          [7, 7]
        ] as const
        const held = yield* Effect.forEach(ranges, ([first, before]) => holds(first, before))
        assert.deepStrictEqual(held, [true, true, false, false, false])
        assert.isFalse(yield* holds(0, 100, Value.key("0xanother")))
        assert.isFalse(yield* store.holdsSequence(Rows.aChainId(), relayer, 0, 100))
        const failed = { ...SendingRows.ended(holding), nextLookAt: Rows.at(3) }
        assert.isTrue(yield* SubmissionQueue.note(claimed.lease, failed))
        assert.isTrue(yield* holds(7, 8))
        yield* SubmissionQueue.conclude(claimed.lease, SendingRows.ended(holding))
        assert.isFalse(yield* holds(0, 100))
      })
    )

    it.effect("the newest nonce of a wallet is known, and whether that is closed", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        yield* SubmissionQueue.emptyQueue
        const [first, second] = yield* SubmissionQueue.queued([0, 1])
        const [one, other] = yield* SubmissionQueue.claimAt(1)
        if (!first || !second || !one || !other) return assert.fail("nothing claimed")
        const chainId = first.chainId
        const wallet = Value.key(`0x${"a7".repeat(20)}`)
        const newest = store.newestSequence(chainId, wallet)
        assert.isUndefined(yield* newest)
        const held = { ...first, relayer: wallet, relayerSequence: 9, updatedAt: Rows.at(1) }
        assert.isTrue(yield* SubmissionQueue.note(one.lease, held))
        assert.deepStrictEqual(yield* newest, { sequence: 9, isClosed: false })
        yield* SubmissionQueue.conclude(one.lease, SendingRows.ended(held))
        assert.deepStrictEqual(yield* newest, { sequence: 9, isClosed: true })
        assert.isUndefined(yield* store.newestSequence(chainId, relayer))
        assert.isUndefined(yield* store.newestSequence(Rows.aChainId(), wallet))
      })
    )

    it.effect("of many who read a wallet's newest nonce and take the next, each gets another", () =>
      Effect.gen(function* () {
        const store = yield* SubmissionStore
        const { run } = yield* Atomically
        yield* SubmissionQueue.emptyQueue
        const chainId = Rows.aChainId()
        const wallet = Value.key(`0x${"a8".repeat(20)}`)
        const taking = Effect.gen(function* () {
          const newest = yield* store.newestSequence(chainId, wallet)
          yield* Effect.yieldNow
          const relayerSequence = (newest?.sequence ?? -1) + 1
          const opened = yield* SubmissionQueue.aSubmission({ chainId })
          yield* store.open({ ...opened, relayer: wallet, relayerSequence })
          return relayerSequence
        })
        const taken = yield* Effect.all(
          Array.from({ length: 10 }, () => run(taking)),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          taken.toSorted((a, b) => a - b),
          [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
        )
      })
    )
  })
