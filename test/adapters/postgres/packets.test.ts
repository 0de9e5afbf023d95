/** What a transaction need not wait for goes in one packet, and is undone as if each had been waited for. */
import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import * as Opened from "../../support/accounts.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as Wire from "../../support/wire.ts"

const packetsOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Wire.listenedTo(work), ({ exit, packets }) => ({ exit, count: packets }))

const run = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Atomically, (atomically) => atomically.run(work))

const isThere = (id: string) =>
  Effect.map(
    Effect.flatMap(Accounts, ({ find }) => find(id)),
    (account) => account !== undefined
  )

it.live(
  "a request with its audit entry takes two round trips: what is read, and what is written",
  () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      const opened = (request: PaymentRequest) =>
        run(
          Effect.gen(function* () {
            yield* (yield* Wallets).find(vault.accountId, vault.id)
            yield* (yield* PaymentRequests).open(request)
            yield* (yield* Audit).append([Rows.anEntry(vault.accountId)])
          })
        )
      // A connection that meets a statement for the first time says it apart, so both have met them all.
      for (let round = 0; round < 3; round++) {
        const both = [opened(Rows.aPaymentRequest(vault)), opened(Rows.aPaymentRequest(vault))]
        yield* Effect.all(both, { concurrency: 2 })
      }
      const request = Rows.aPaymentRequest(vault)
      const { exit, packets, statements } = yield* Wire.listenedTo(opened(request))
      assert.isTrue(Exit.isSuccess(exit))
      assert.strictEqual(packets, 2)
      // What is written is one statement, and nothing is opened around it.
      assert.strictEqual(statements, 2)
      assert.deepStrictEqual(yield* (yield* PaymentRequests).findPublic(request.pid), request)
      // Nothing was asked of the database, so nothing is said to it.
      assert.strictEqual((yield* packetsOf(run(Effect.void))).count, 0)
      const refused = run(
        Effect.gen(function* () {
          yield* (yield* Accounts).open(Rows.anAccount())
          return yield* Effect.fail("refused")
        })
      )
      assert.strictEqual((yield* packetsOf(refused)).count, 0)
    }).pipe(Effect.provide(Wire.stores))
)

it.live(
  "a write that fails while it waits undoes the transaction, as does one without its row",
  () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const before = Rows.anAccount()
      const twice = run(
        Effect.gen(function* () {
          yield* accounts.open(before)
          yield* accounts.open(before)
          yield* accounts.open(Rows.anAccount())
        })
      )
      assert.isTrue(Exit.hasDies(yield* Effect.exit(twice)))
      assert.isFalse(yield* isThere(before.id))
      const lost = run(
        Effect.gen(function* () {
          yield* accounts.open(before)
          yield* accounts.retier(Rows.anId(), "startup")
        })
      )
      assert.isTrue(Exit.hasDies(yield* Effect.exit(lost)))
      assert.isFalse(yield* isThere(before.id))
    }).pipe(Effect.provide(Wire.stores))
)

it.live("the only write is undone with a nested run, and lost when it finds no row", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const [outer, inner] = [Rows.anAccount(), Rows.anAccount()]
    const nested = run(Effect.andThen(accounts.open(inner), Effect.fail("refused")))
    const before = Effect.andThen(accounts.find(outer.id), Effect.flip(nested))
    // What the stores say when they open is said before it.
    assert.isFalse(yield* isThere(outer.id))
    const { exit, statements } = yield* Wire.listenedTo(
      run(Effect.andThen(before, accounts.open(outer)))
    )
    assert.isTrue(Exit.isSuccess(exit))
    assert.strictEqual(statements, 2)
    assert.isTrue(yield* isThere(outer.id))
    assert.isFalse(yield* isThere(inner.id))
    const lost = yield* Effect.exit(run(accounts.retier(Rows.anId(), "startup")))
    assert.isTrue(Exit.hasDies(lost))
    assert.strictEqual((yield* Wire.listenedTo(run(Effect.exit(nested)))).statements, 0)
  }).pipe(Effect.provide(Wire.stores))
)

it.live("a nested run that fails takes back its own writes and no others, sent or not", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    for (const isSent of [false, true]) {
      const [outer, inner, after] = [Rows.anAccount(), Rows.anAccount(), Rows.anAccount()]
      const nested = run(
        Effect.gen(function* () {
          yield* accounts.open(inner)
          if (isSent) assert.isTrue(yield* isThere(inner.id))
          return yield* Effect.fail("refused")
        })
      )
      yield* run(
        Effect.gen(function* () {
          yield* accounts.open(outer)
          yield* Effect.flip(nested)
          yield* accounts.open(after)
        })
      )
      assert.isTrue(yield* isThere(outer.id))
      assert.isFalse(yield* isThere(inner.id))
      assert.isTrue(yield* isThere(after.id))
    }
  }).pipe(Effect.provide(Wire.stores))
)

it.live(
  "nested runs beside each other take turns: one that fails takes back its own writes alone",
  () =>
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const [failing, kept] = [Rows.anAccount(), Rows.anAccount()]
      const nested = (account: typeof kept, end: Effect.Effect<void, string>) =>
        run(
          Effect.gen(function* () {
            yield* accounts.open(account)
            assert.isTrue(yield* isThere(account.id))
            // Time enough for the other one, were it let.
            for (let turn = 0; turn < 50; turn++) yield* Effect.yieldNow
            yield* end
          })
        )
      yield* run(
        Effect.all(
          [Effect.flip(nested(failing, Effect.fail("refused"))), nested(kept, Effect.void)],
          { concurrency: 2 }
        )
      )
      assert.isFalse(yield* isThere(failing.id))
      assert.isTrue(yield* isThere(kept.id))
    }).pipe(Effect.provide(Wire.stores))
)

it.live(
  "what follows a commit finds its session given back, and a transaction that ended takes none",
  () =>
    Effect.gen(function* () {
      const { afterCommit } = yield* Atomically
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* Accounts
      const account = yield* Stored.account()
      const heard: Array<string> = []
      const late = yield* Deferred.make<void>()
      // Two sessions: one each would leave none for what follows.
      const telling = (name: string) =>
        run(
          Effect.gen(function* () {
            yield* accounts.find(account.id)
            const follows = Effect.orDie(
              Effect.andThen(
                sql`select 1`,
                Effect.sync(() => void heard.push(name))
              )
            )
            yield* afterCommit(follows)
            return yield* Effect.forkDetach(
              Effect.andThen(Deferred.await(late), Effect.exit(afterCommit(Effect.void)))
            )
          })
        )
      const [fiber] = yield* Effect.all([telling("one"), telling("two")], { concurrency: 2 })
      assert.sameMembers(heard, ["one", "two"])
      yield* Deferred.succeed(late, undefined)
      assert.isTrue(Exit.hasDies(yield* Fiber.join(fiber)))
    }).pipe(Effect.provide(Wire.stores))
)

it.live("a write that fails beside others costs no session", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const sessions = Effect.map(
      sql<{ pid: number }>`select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' order by pid`,
      (rows) => rows.map(({ pid }) => pid)
    )
    const known = yield* Stored.account()
    const failing = run(
      Effect.gen(function* () {
        yield* accounts.open(known)
        // It is sent with the write, which fails first.
        yield* accounts.lock(known.id)
      })
    )
    yield* Effect.exit(failing)
    const before = yield* sessions
    for (let round = 0; round < 3; round++) {
      assert.isTrue(Exit.hasDies(yield* Effect.exit(failing)))
    }
    assert.includeMembers([...(yield* sessions)], [...before])
  }).pipe(Effect.provide(Wire.stores))
)

it.live("whoever stops waiting in a transaction leaves neither writes nor locks behind", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const accounts = yield* Accounts
    const [held, other] = [yield* Stored.account(), Rows.anAccount()]
    const isWaiting = yield* Deferred.make<void>()
    const waiting = run(
      Effect.gen(function* () {
        yield* accounts.open(other)
        yield* accounts.lock(held.id)
        yield* Deferred.succeed(isWaiting, undefined)
        yield* sql`select pg_sleep(60)`
      })
    )
    const fiber = yield* Effect.forkChild(waiting)
    yield* Deferred.await(isWaiting)
    yield* Effect.yieldNow
    yield* Fiber.interrupt(fiber)
    // Waits until the server has noticed.
    assert.isDefined(yield* run(accounts.lock(held.id)))
    assert.isFalse(yield* isThere(other.id))
  }).pipe(Effect.provide(Wire.stores))
)

it.live("what was read is known until the transaction writes, or waits for a lock", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const wallet = yield* Stored.vault()
    const { accountId } = wallet
    const paused = yield* DateTime.now
    const reads = Effect.gen(function* () {
      for (let round = 0; round < 3; round++) yield* accounts.find(accountId)
      return yield* accounts.find(accountId)
    })
    // A connection that meets a statement for the first time says it apart, so it has met them all.
    for (let round = 0; round < 6; round++) yield* run(reads)
    const { count, exit } = yield* packetsOf(run(reads))
    assert.strictEqual(count, 1)
    assert.isTrue(Exit.isSuccess(exit))
    // Its own write is seen at once, and what another wrote as soon as a lock was taken.
    yield* run(
      Effect.gen(function* () {
        assert.isNull((yield* reads)?.pausedAt)
        yield* accounts.pause(accountId, paused)
        assert.isNotNull((yield* reads)?.pausedAt)
      })
    )
    yield* run(
      Effect.gen(function* () {
        yield* reads
        // A process of its own: the transaction that runs here is none of its.
        yield* Effect.promise(() => Effect.runPromise(accounts.pause(accountId, null)))
        yield* accounts.lock(accountId)
        assert.isNull((yield* reads)?.pausedAt)
      })
    )
  }).pipe(Effect.provide(Wire.stores))
)

const treasury = Layer.suspend(() =>
  Layer.merge(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1),
    Wire.stores
  )
).pipe(Layer.orDie)

it.live(
  "payment requests of one moment look their vaults up in one statement, and are written in few",
  () =>
    Effect.gen(function* () {
      const { accountId, call } = yield* Opened.opened()
      const vaults = yield* Effect.forEach(["user_1", "user_2", "user_3"], (customer) =>
        Opened.vault(accountId, customer)
      )
      for (const each of (yield* Chains).connected) yield* watchOnce(each)
      const opened = Effect.forEach(
        [...vaults, ...vaults],
        ({ id }) => call.create_payment_request({ walletMappingId: id, amountUsd: 49 }),
        { concurrency: "unbounded" }
      )
      // Once before, so that nothing is asked that a process asks once.
      yield* opened
      const { exit, statements } = yield* Wire.listenedTo(opened)
      assert.isTrue(Exit.isSuccess(exit))
      // Six are written as four and two.
      assert.strictEqual(statements, 1 + 2)
      const made = Exit.isSuccess(exit) ? exit.value : []
      const found = yield* Effect.forEach(made, ({ id }) =>
        call.get_payment_request({ idOrPid: id })
      )
      assert.deepStrictEqual(
        found.map((each) => each.vaultId),
        [...vaults, ...vaults].map((each) => each.id)
      )
      // Each has its entry in the log.
      const logged = yield* Effect.forEach(made, ({ id }) => call.list_audit_log({ subjectId: id }))
      assert.isTrue(logged.every(({ entries }) => entries.length === 1))
    }).pipe(Effect.provide(treasury))
)

it.live("one of several transactions of a moment that is refused refuses no other", () =>
  Effect.gen(function* () {
    const vault = yield* Stored.vault()
    const opening = (request: PaymentRequest) =>
      run(
        Effect.gen(function* () {
          yield* (yield* PaymentRequests).open(request)
          yield* (yield* Audit).append([Rows.anEntry(vault.accountId, { subjectId: request.id })])
        })
      )
    const named = Rows.aPaymentRequest(vault)
    const twin = { ...Rows.aPaymentRequest(vault), pid: named.pid }
    const elsewhere = { ...Rows.aPaymentRequest(vault), vaultId: Rows.anId() }
    const good = Array.from({ length: 4 }, () => Rows.aPaymentRequest(vault))
    const all = [elsewhere, named, ...good, twin]
    const exits = yield* Effect.forEach(all, (each) => Effect.exit(opening(each)), {
      concurrency: "unbounded"
    })
    const [first, one, ...rest] = exits.map(Exit.isSuccess)
    assert.isFalse(first)
    // Of two with one name either is written, whoever was first.
    assert.notStrictEqual(one, rest.pop())
    assert.deepStrictEqual(rest, [true, true, true, true])
    for (const [at, request] of all.entries()) {
      const isWritten = Exit.isSuccess(exits[at] ?? Exit.void)
      const found = yield* (yield* PaymentRequests).find(vault.accountId, request.id)
      assert.strictEqual(found !== undefined, isWritten)
      const { rows } = yield* (yield* Audit).list(
        vault.accountId,
        { limit: 10 },
        { subjectId: request.id }
      )
      assert.strictEqual(rows.length, isWritten ? 1 : 0)
    }
  }).pipe(Effect.provide(Wire.stores))
)

it.live("a transaction takes no session before it says something", () =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const known = yield* Stored.account()
    const mayEnd = yield* Deferred.make<void>()
    const idle = run(Deferred.await(mayEnd))
    // More than there are sessions.
    const fibers = yield* Effect.forEach(Array.from({ length: 5 }), () => Effect.forkChild(idle))
    yield* Effect.yieldNow
    assert.isDefined(yield* run(accounts.lock(known.id)))
    yield* Deferred.succeed(mayEnd, undefined)
    yield* Effect.forEach(fibers, Fiber.join)
  }).pipe(Effect.provide(Wire.stores))
)
