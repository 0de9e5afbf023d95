/** What belongs together is one statement: questions side by side, locks before them, and writes with the last of them. */
import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber } from "effect"
import { Accounts, Keys } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Outlay } from "../../../core/policy/outlay-ledger.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { askAhead, askTogether } from "../../../core/ports/together.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"
import * as Wire from "../../support/wire.ts"

const run = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomically, (atomically) => atomically.run(work))

/** A connection that meets a statement for the first time says it apart, so all of them have met it. */
const practised = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  for (let round = 0; round < 6; round++) {
    yield* Effect.exit(Effect.all([work, work], { concurrency: 2 }))
  }
  return yield* Wire.listenedTo(work)
})

it.live("questions that are asked together are one statement, and answer as they do alone", () =>
  Effect.gen(function* () {
    const { accountId, id } = yield* Stored.vault()
    const [accounts, keys, spending, wallets] = [
      yield* Accounts,
      yield* Keys,
      yield* Spending,
      yield* Wallets
    ]
    const key = Rows.aKey(accountId, {
      dailyCapMicro: 9_007_199_254_740_993n,
      walletIds: [id, "b"]
    })
    yield* keys.issue(key, Rows.aDigest())
    const windows = { day: "2026-11-22", month: "2026-11" }
    const questions = [
      accounts.find(accountId),
      wallets.find(accountId, id),
      wallets.find(accountId, "nobody's"),
      keys.find(accountId, key.id),
      spending.used(accountId, windows)
    ] as const
    const alone = yield* Effect.all(questions)
    assert.deepStrictEqual(alone[3], key)
    for (const ask of [askTogether(questions), run(askTogether(questions))]) {
      const { exit, statements } = yield* practised(ask)
      assert.deepStrictEqual(exit, Exit.succeed(alone as never))
      // Nothing is opened for reads alone.
      assert.strictEqual(statements, 1)
    }
  }).pipe(Effect.provide(Wire.stores))
)

it.live(
  "room for fees is one statement for all that ask for it at the same moment, with what bounds them",
  () =>
    Effect.gen(function* () {
      const [one, other] = [(yield* Stored.account()).id, (yield* Stored.account()).id]
      const [accounts, outlay] = [yield* Accounts, yield* Outlay]
      const [chainId, day] = [Rows.aChainId(), "2030-01-01"]
      const limits = Effect.succeed({ accountUnits: null, installationUnits: 100n })
      const charged = { chainId, day, at: Rows.at(0), accountId: one, units: 5n }
      yield* outlay.charge([[{ ...charged, key: Rows.anId() }, limits]])
      const asked = [one, other, null].map((id) => outlay.used(chainId, day, id))
      const { exit, statements } = yield* practised(
        Effect.all([...asked, accounts.find(one)], { concurrency: "unbounded" })
      )
      const [ofOne, ofOther, ofNobody] = Exit.isSuccess(exit) ? exit.value : []
      assert.deepStrictEqual(ofOne, { accountUnits: 5n, installationUnits: 5n })
      assert.deepStrictEqual(ofOther, { accountUnits: 0n, installationUnits: 5n })
      assert.deepStrictEqual(ofNobody, { accountUnits: 0n, installationUnits: 5n })
      assert.strictEqual(statements, 1)
    }).pipe(Effect.provide(Wire.stores))
)

it.live(
  "what several proposals do on chains is one statement, asked for one by one at the same moment",
  () =>
    Effect.gen(function* () {
      const [one, other] = [
        yield* SubmissionQueue.aSubmission(),
        yield* SubmissionQueue.aSubmission()
      ]
      const { ofProposals, open } = yield* SubmissionStore
      yield* open(one)
      yield* open(other)
      const idOf = ({ purpose }: typeof one) => purpose.proposalId ?? ""
      const asked = Effect.all(
        [ofProposals([idOf(one)]), ofProposals([idOf(other)]), ofProposals(["nobody's"])],
        { concurrency: "unbounded" }
      )
      const { exit, statements } = yield* practised(asked)
      const found = Exit.map(exit, (all) => all.map((some) => some.map(({ id }) => id)))
      assert.deepStrictEqual(found, Exit.succeed([[one.id], [other.id], []]))
      assert.strictEqual(statements, 1)
    }).pipe(Effect.provide(Wire.stores))
)

it.live("a question that follows from another waits for those beside it", () =>
  Effect.gen(function* () {
    const { accountId, id } = yield* Stored.vault()
    const [accounts, wallets] = [yield* Accounts, yield* Wallets]
    const owner = Effect.flatMap(wallets.find(accountId, id), (wallet) =>
      accounts.find(wallet?.accountId ?? "")
    )
    const { exit, statements } = yield* practised(
      askTogether([owner, wallets.find(accountId, id), owner])
    )
    assert.strictEqual(statements, 2)
    assert.isTrue(Exit.isSuccess(exit) && exit.value[0]?.id === accountId)
    const refused = yield* Effect.exit(askTogether([owner, Effect.fail("no"), owner]))
    assert.deepStrictEqual(refused, Exit.fail("no"))
  }).pipe(Effect.provide(Wire.stores))
)

it.live("what is asked ahead is not asked again, and was read after the locks were taken", () =>
  Effect.gen(function* () {
    const { accountId } = yield* Stored.vault()
    const accounts = yield* Accounts
    const [pausedAt, isHeld, mayEnd] = [
      yield* DateTime.now,
      yield* Deferred.make<void>(),
      yield* Deferred.make<void>()
    ]
    const judged = run(
      Effect.gen(function* () {
        yield* askAhead([accounts.lock(accountId), accounts.find(accountId)])
        yield* accounts.lock(accountId)
        return yield* accounts.find(accountId)
      })
    )
    const { statements } = yield* practised(judged)
    assert.strictEqual(statements, 4)
    const holding = run(
      Effect.gen(function* () {
        yield* accounts.lock(accountId)
        yield* accounts.pause(accountId, pausedAt)
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(mayEnd)
      })
    )
    const holder = yield* Effect.forkChild(holding)
    yield* Deferred.await(isHeld)
    const waiter = yield* Effect.forkChild(judged)
    yield* Effect.sleep("100 millis")
    yield* Deferred.succeed(mayEnd, undefined)
    yield* Fiber.join(holder)
    assert.isNotNull((yield* Fiber.join(waiter))?.pausedAt)
  }).pipe(Effect.provide(Wire.stores))
)

it.live("a lock that was given back with a nested run is taken again", () =>
  Effect.gen(function* () {
    const { accountId } = yield* Stored.vault()
    const accounts = yield* Accounts
    const nested = run(Effect.andThen(accounts.lock(accountId), Effect.fail("refused")))
    const { exit } = yield* Wire.listenedTo(
      run(
        Effect.gen(function* () {
          yield* Effect.flip(nested)
          // Another takes it meanwhile: nothing is left of it.
          const pausedAt = yield* DateTime.now
          const pausing = Effect.andThen(
            accounts.lock(accountId),
            accounts.pause(accountId, pausedAt)
          )
          const atomically = yield* Atomically
          yield* Effect.promise(() => Effect.runPromise(atomically.run(pausing)))
          return yield* accounts.lock(accountId)
        })
      )
    )
    assert.isTrue(Exit.isSuccess(exit) && exit.value?.pausedAt !== null)
  }).pipe(Effect.provide(Wire.stores))
)

it.live(
  "writes of one moment are one statement with the last that answers, and all or nothing",
  () =>
    Effect.gen(function* () {
      const { accountId } = yield* Stored.vault()
      const [accounts, audit, proposals, keys] = [
        yield* Accounts,
        yield* Audit,
        yield* Proposals,
        yield* Keys
      ]
      const [key, revokedAt] = [Rows.aKey(accountId), yield* DateTime.now]
      yield* keys.issue(key, Rows.aDigest())
      const proposed = SendingRows.aProposal(accountId)
      yield* proposals.propose(proposed)
      const moving = (id: string, status: "cancelled" | "pending_confirm") =>
        Effect.gen(function* () {
          yield* audit.append([Rows.anEntry(accountId)])
          yield* accounts.pause(accountId, null)
          const outcome = status === "cancelled" ? ("not_executed" as const) : null
          yield* proposals.move([{ ...proposed, id, status, outcome }])
          return yield* keys.revoke(accountId, key.id, revokedAt)
        })
      const { exit, statements } = yield* practised(run(moving(proposed.id, "pending_confirm")))
      // It was revoked by then.
      assert.deepStrictEqual(exit, Exit.succeed(false))
      // Opened, one for all that is written, and committed.
      assert.strictEqual(statements, 3)
      const count = Effect.map(audit.list(accountId, { limit: 100 }), ({ rows }) => rows.length)
      const before = yield* count
      assert.isTrue(Exit.hasDies(yield* Effect.exit(run(moving(Rows.anId(), "cancelled")))))
      assert.strictEqual(yield* count, before)
      yield* run(moving(proposed.id, "cancelled"))
      assert.strictEqual((yield* proposals.find(accountId, proposed.id))?.status, "cancelled")
      assert.strictEqual(yield* count, before + 1)
    }).pipe(Effect.provide(Wire.stores))
)
