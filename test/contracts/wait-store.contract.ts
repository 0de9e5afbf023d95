/** What every store of waits must do: let each step in once, hand waits out in turn, keep what was agreed. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Wait } from "../../core/waits/wait.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Rows from "../support/rows.ts"
import * as WaitQueue from "../support/wait-queue.ts"

type Stores = WaitStore | Proposals | Accounts | Atomically

/** Claims the only wait that is queued. */
const claimOne = Effect.fnUntraced(function* (seconds: number) {
  const [claimed, ...more] = yield* WaitQueue.claimAt(seconds)
  if (claimed === undefined || more.length > 0) return assert.fail("one should be claimed")
  return claimed
})

const oneQueued = Effect.andThen(WaitQueue.emptyQueue, WaitQueue.queued([0]))

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  openingSuite(name, stores)
  writingSuite(name, stores)
  hurriedSuite(name, stores)
}

const openingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: waits, what is opened`, (it) => {
    it.effect("a proposal has one open wait at most, and one of each number", () =>
      Effect.gen(function* () {
        const store = yield* WaitStore
        yield* WaitQueue.emptyQueue
        const first = yield* WaitQueue.aWait()
        const copies = Array.from(
          { length: 32 },
          (_, at): Wait => ({
            ...first,
            id: Rows.anId(),
            n: at + 1
          })
        )
        const opened = yield* Effect.all(copies.map(store.open), { concurrency: "unbounded" })
        assert.lengthOf(opened.filter(Boolean), 1)
        const kept = copies[opened.indexOf(true)] as Wait
        assert.deepStrictEqual(yield* store.ofProposals([first.proposalId]), [kept])
        yield* WaitQueue.concludeAsEnded(yield* claimOne(0))
        assert.isFalse(yield* store.open({ ...kept, id: Rows.anId() }))
        const second: Wait = { ...kept, id: Rows.anId(), n: 40 }
        assert.isTrue(yield* store.open(second))
        assert.deepStrictEqual(yield* store.ofProposals([first.proposalId]), [
          WaitQueue.ended(kept),
          second
        ])
      })
    )

    it.effect("what is stuck is told of, the oldest first, until it has ended", () =>
      Effect.gen(function* () {
        const { stuck } = yield* WaitStore
        yield* WaitQueue.emptyQueue
        yield* WaitQueue.queued([0, 1, 2])
        const claimed = yield* WaitQueue.claimAt(3)
        assert.deepStrictEqual(yield* stuck(10), [])
        const late = claimed.slice(0, 2)
        for (const { lease, wait } of late) {
          yield* WaitQueue.note(lease, { ...wait, isStuck: true, reason: "Nobody brings it." })
        }
        const found = yield* stuck(10)
        assert.sameMembers(
          found.map(({ id }) => id),
          late.map(({ wait }) => wait.id)
        )
        assert.deepStrictEqual(
          found,
          found.toSorted((a, b) => Number(a.openedAt) - Number(b.openedAt))
        )
        assert.lengthOf(yield* stuck(1), 1)
        for (const each of claimed) yield* WaitQueue.concludeAsEnded(each)
        assert.deepStrictEqual(yield* stuck(10), [])
      })
    )

    it.effect("those that signed an order are found by it, of their own account alone", () =>
      Effect.gen(function* () {
        const { ofOrders } = yield* WaitStore
        yield* WaitQueue.emptyQueue
        const rows = yield* WaitQueue.queued([0, 1, 2])
        const orderIds = rows.map(() => Rows.aDigest())
        assert.deepStrictEqual(yield* ofOrders(rows[0]?.accountId ?? "", orderIds), [])
        const claimed = yield* WaitQueue.claimAt(3)
        const signed = claimed.map(({ lease, wait }, at) => ({
          lease,
          wait: { ...wait, journal: { signed: { orderId: orderIds[at] ?? "", validTo: at } } }
        }))
        for (const { lease, wait } of signed) yield* WaitQueue.note(lease, wait)
        for (const { wait } of signed) {
          assert.deepStrictEqual(yield* ofOrders(wait.accountId, orderIds), [wait])
          assert.deepStrictEqual(yield* ofOrders(Rows.anId(), orderIds), [])
        }
        const [first] = signed
        if (first === undefined) return assert.fail("there are waits")
        yield* WaitQueue.concludeAsEnded(first)
        const { accountId } = first.wait
        assert.deepStrictEqual(yield* ofOrders(accountId, orderIds), [WaitQueue.ended(first.wait)])
        assert.deepStrictEqual(yield* ofOrders(accountId, orderIds.slice(1)), [])
        assert.deepStrictEqual(yield* ofOrders(accountId, []), [])
      })
    )

    it.effect("it is opened with its transaction or not at all", () =>
      Effect.gen(function* () {
        const store = yield* WaitStore
        const { run } = yield* Atomically
        const wait = yield* WaitQueue.aWait({ isStopAsked: true })
        yield* Effect.flip(run(Effect.andThen(store.open(wait), Effect.fail("no"))))
        assert.deepStrictEqual(yield* store.ofProposals([wait.proposalId]), [])
        assert.isTrue(yield* store.open(wait))
        assert.deepStrictEqual(yield* store.ofProposals([wait.proposalId, Rows.anId()]), [wait])
      })
    )

    it.effect("64 claims at once hand out each wait once", () =>
      Effect.gen(function* () {
        yield* WaitQueue.emptyQueue
        const rows = yield* WaitQueue.queued(Array(40).fill(0))
        const claims = yield* Effect.all(
          Array.from({ length: 64 }, () => WaitQueue.claimAt(1, 3)),
          { concurrency: "unbounded" }
        )
        const claimed = [...claims.flat(), ...(yield* WaitQueue.claimAt(1))]
        assert.sameMembers(
          claimed.map(({ wait }) => wait.id),
          rows.map(({ id }) => id)
        )
      })
    )
  })

const writingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: waits, what is written down`, (it) => {
    it.effect("every look is read back as it was written, and counts under its lease alone", () =>
      Effect.gen(function* () {
        yield* oneQueued
        const { lease, wait } = yield* claimOne(10)
        const noted: Wait = {
          ...wait,
          journal: { uid: "0xab", order: { sell: "9007199254740993" } },
          reason: "The venue is away.",
          isStuck: true,
          nextLookAt: Rows.at(41.5),
          updatedAt: Rows.at(10.25)
        }
        assert.isTrue(yield* WaitQueue.note(lease, noted))
        assert.deepStrictEqual(yield* WaitQueue.found(wait), noted)
        const second = yield* claimOne(42)
        assert.deepStrictEqual(second.wait, noted)
        assert.isFalse(yield* WaitQueue.note(lease, wait))
        assert.isFalse(yield* WaitQueue.concludeAsEnded({ lease, wait }))
        assert.isTrue(yield* WaitQueue.concludeAsEnded(second))
        assert.deepStrictEqual(yield* WaitQueue.found(wait), WaitQueue.ended(noted))
        assert.deepStrictEqual(yield* WaitQueue.claimAt(100_000), [])
      })
    )

    it.effect("what is waited for, and until when, is never written again", () =>
      Effect.gen(function* () {
        yield* oneQueued
        const { lease, wait } = yield* claimOne(0)
        const forged = {
          n: 9,
          kind: "refund",
          watch: "other",
          chainId: "local",
          terms: { sell: "other" },
          isStopAsked: true,
          openedAt: Rows.at(9),
          deadline: Rows.at(9)
        } as const
        const look = { nextLookAt: Rows.at(5), updatedAt: Rows.at(4) }
        assert.isTrue(yield* WaitQueue.note(lease, { ...wait, ...look, ...forged }))
        assert.deepStrictEqual(yield* WaitQueue.found(wait), { ...wait, ...look })
      })
    )

    it.effect("a wait is not done without evidence; one that was never begun may end so", () =>
      Effect.gen(function* () {
        yield* oneQueued
        const { lease, wait } = yield* claimOne(0)
        const without = (isDone: boolean): Wait => ({
          ...WaitQueue.ended(wait),
          ended: { isDone, evidence: null, at: Rows.at(1) }
        })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(WaitQueue.conclude(lease, without(true)))))
        assert.isTrue(yield* WaitQueue.conclude(lease, without(false)))
        assert.deepStrictEqual(yield* WaitQueue.found(wait), without(false))
      })
    )
  })

const hurriedSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: waits, what is asked from outside`, (it) => {
    it.effect("one that is asked to stop is due at once, and says so from then on", () =>
      Effect.gen(function* () {
        const store = yield* WaitStore
        yield* WaitQueue.emptyQueue
        const [wait] = yield* WaitQueue.queued([900])
        if (wait === undefined) return assert.fail("one is queued")
        assert.isFalse(yield* store.stop(Rows.anId(), Rows.at(20)))
        assert.isTrue(yield* store.stop(wait.proposalId, Rows.at(20)))
        assert.deepStrictEqual(yield* store.nextDue(Rows.at(0)), Rows.at(20))
        const claimed = yield* claimOne(20)
        assert.deepInclude(claimed.wait, { isStopAsked: true, journal: {} })
        assert.isTrue(yield* WaitQueue.concludeAsEnded(claimed))
        assert.isFalse(yield* store.stop(wait.proposalId, Rows.at(30)))
        assert.isTrue((yield* WaitQueue.found(wait)).isStopAsked)
      })
    )

    it.effect("one that is hurried while it is looked at is looked at again after that", () =>
      Effect.gen(function* () {
        const store = yield* WaitStore
        yield* oneQueued
        const { lease, wait } = yield* claimOne(10)
        yield* store.hurry([wait.id, Rows.anId()], Rows.at(11))
        const later = { ...wait, nextLookAt: Rows.at(900), updatedAt: Rows.at(12) }
        assert.isTrue(yield* WaitQueue.conclude(lease, later))
        const again = yield* claimOne(12)
        assert.deepStrictEqual(again.wait, { ...later, nextLookAt: Rows.at(11), hurries: 1 })
        const seen = { ...again.wait, nextLookAt: Rows.at(900) }
        assert.isTrue(yield* WaitQueue.conclude(again.lease, seen))
        assert.deepStrictEqual(yield* WaitQueue.claimAt(899), [])
      })
    )

    it.effect("one that ends stays ended, though it was hurried meanwhile", () =>
      Effect.gen(function* () {
        const store = yield* WaitStore
        yield* oneQueued
        const claimed = yield* claimOne(10)
        yield* store.hurry([claimed.wait.id], Rows.at(11))
        assert.isTrue(yield* WaitQueue.concludeAsEnded(claimed))
        yield* store.hurry([claimed.wait.id], Rows.at(12))
        assert.isNull((yield* WaitQueue.found(claimed.wait)).nextLookAt)
        assert.deepStrictEqual(yield* WaitQueue.claimAt(100_000), [])
      })
    )
  })
