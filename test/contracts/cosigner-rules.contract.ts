/** What every store of co-signers must do with rules: revisions only grow, and what is locked stands still. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import * as GovernanceRows from "../support/governance-rows.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Cosigners | Spending | Proposals | Accounts | Atomically

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  revisionSuite(name, stores)
  standingSuite(name, stores)
}

const atOnce = <A, E, R>(count: number, work: (index: number) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomically, ({ run }) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => index),
      (index) => run(work(index)),
      { concurrency: "unbounded" }
    )
  )

const revisionSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: cosigner rules`, (it) => {
    it.effect("rules are read back to the last unit, by their account only", () =>
      Effect.gen(function* () {
        const { lockShared, lock, revise, rules } = yield* Cosigners
        const { run } = yield* Atomically
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const edge = 9_007_199_254_740_993n
        const revision = GovernanceRows.aRevision(mine.id, {
          rules: [
            GovernanceRows.aRule({ minAmountMicro: 1n, maxAmountMicro: edge }),
            GovernanceRows.aRule({ minAmountMicro: edge, requiredApprovals: 20 }),
            GovernanceRows.aRule({ action: "bridge" }),
            GovernanceRows.aRule({ action: "swap", minAmountMicro: 2n ** 80n + 1n })
          ],
          createdAt: Rows.at(1.234)
        })
        const reads = [rules, (id: string) => run(lockShared(id)), (id: string) => run(lock(id))]
        for (const read of reads) assert.isUndefined(yield* read(mine.id))
        assert.isTrue(yield* revise(revision))
        for (const read of reads) {
          assert.deepStrictEqual(yield* read(mine.id), revision)
          assert.isUndefined(yield* read(other.id))
        }
      })
    )

    it.effect("the newest revision counts, and may rule nothing", () =>
      Effect.gen(function* () {
        const { lockShared, revise, rules } = yield* Cosigners
        const { run } = yield* Atomically
        const { id } = yield* Stored.account()
        for (const number of [1, 2, 9, 10]) {
          assert.isTrue(yield* revise(GovernanceRows.aRevision(id, { number })))
        }
        const none = GovernanceRows.aRevision(id, { number: 11, rules: [] })
        assert.isTrue(yield* revise(none))
        assert.deepStrictEqual(yield* rules(id), none)
        assert.deepStrictEqual(yield* run(lockShared(id)), none)
      })
    )

    it.effect("of 64 that take one number at once, one does, and its rules stand", () =>
      Effect.gen(function* () {
        const { revise, rules } = yield* Cosigners
        const { id } = yield* Stored.account()
        const written = (index: number) =>
          GovernanceRows.aRevision(id, {
            rules: [GovernanceRows.aRule({ minAmountMicro: BigInt(index + 1) })]
          })
        const taken = yield* atOnce(64, (index) => revise(written(index)))
        assert.strictEqual(taken.filter(Boolean).length, 1)
        assert.deepStrictEqual(yield* rules(id), written(taken.indexOf(true)))
      })
    )

    it.effect("a revision is undone with its transaction", () =>
      Effect.gen(function* () {
        const { revise, rules } = yield* Cosigners
        const { run } = yield* Atomically
        const revision = GovernanceRows.aRevision((yield* Stored.account()).id)
        yield* Effect.flip(run(Effect.andThen(revise(revision), Effect.fail("no"))))
        assert.isUndefined(yield* rules(revision.accountId))
        assert.isTrue(yield* revise(revision))
      })
    )
  })

const standingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: cosigner rules, standing still`, (it) => {
    it.effect("those who lock take turns, each after the rules of the one before", () =>
      Effect.gen(function* () {
        const { lock, revise, rules } = yield* Cosigners
        const { id } = yield* Stored.account()
        const next = Effect.gen(function* () {
          const newest = yield* lock(id)
          yield* Effect.yieldNow
          const number = (newest?.number ?? 0) + 1
          return yield* revise(GovernanceRows.aRevision(id, { number }))
        })
        const revised = yield* atOnce(16, () => next)
        assert.isTrue(revised.every(Boolean))
        assert.strictEqual((yield* rules(id))?.number, 16)
      })
    )

    it.effect("what is locked is the same to the end, whoever changes it meanwhile", () =>
      Effect.gen(function* () {
        const { lockShared, lock, leave, members, revise, rules } = yield* Cosigners
        const { id } = yield* Stored.account()
        const joined = yield* Effect.forEach(Array(8).fill(0), () => Stored.member(id))
        const everyone = Effect.map(members(id, { limit: 20 }), ({ rows }) => rows.length)
        // Each change takes one member away and adds one revision, so that the sum of both stands.
        const change = Effect.fnUntraced(function* (membershipId: string) {
          const newest = yield* lock(id)
          yield* leave(id, membershipId, Rows.at(2))
          yield* Effect.yieldNow
          yield* revise(GovernanceRows.aRevision(id, { number: (newest?.number ?? 0) + 1 }))
        })
        const look = Effect.gen(function* () {
          const before = (yield* lockShared(id))?.number ?? 0
          const there = yield* everyone
          yield* Effect.yieldNow
          assert.strictEqual((yield* rules(id))?.number ?? 0, before)
          assert.strictEqual(yield* everyone, there)
          return before + there
        })
        const sums = yield* atOnce(24, (index) => {
          const member = joined[index / 3]
          return member === undefined ? look : Effect.as(change(member.id), 8)
        })
        assert.deepStrictEqual(new Set(sums), new Set([8]))
        assert.strictEqual((yield* rules(id))?.number, 8)
      })
    )

    it.effect("however many share the lock at once, each may reserve and none waits for ever", () =>
      Effect.gen(function* () {
        const { lockShared } = yield* Cosigners
        const { reserve } = yield* Spending
        const { id: accountId } = yield* Stored.account()
        const proposals = yield* Effect.forEach(Array(32).fill(0), () =>
          Stored.proposal({ accountId })
        )
        const reserved = yield* Effect.flatMap(Atomically, ({ run }) =>
          Effect.forEach(
            proposals,
            (proposal) =>
              run(
                Effect.andThen(
                  lockShared(accountId),
                  reserve(SendingRows.aReservation(proposal), SendingRows.limits())
                )
              ),
            { concurrency: "unbounded" }
          )
        )
        assert.isTrue(reserved.every(({ _tag }) => _tag === "reserved"))
      })
    )
  })
