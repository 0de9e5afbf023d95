/** What all or nothing means, whatever keeps the records: seen through the accounts it opens. */
import { assert, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, type Layer } from "effect"
import { Accounts } from "../../core/accounts/account-store.ts"
import { Audit } from "../../core/audit/audit-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Rows from "../support/rows.ts"

/** An account with its audit entry: a change in two stores. */
const opening = (account: ReturnType<typeof Rows.anAccount>) =>
  Effect.gen(function* () {
    yield* (yield* Accounts).open(account)
    yield* (yield* Audit).append([Rows.anEntry(account.id)])
  })

const isOpen = Effect.fnUntraced(function* (account: { readonly id: string }) {
  const found = yield* (yield* Accounts).find(account.id)
  const entries = yield* (yield* Audit).list(account.id, { limit: 5 })
  assert.strictEqual(entries.rows.length, found === undefined ? 0 : 1)
  return found !== undefined
})

type Stores = Atomically | Accounts | Audit

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  layer(stores)(`${name}: atomically`, (it) => {
    it.effect("what succeeds is kept whole, and its answer given back", () =>
      Effect.gen(function* () {
        const account = Rows.anAccount()
        const { run } = yield* Atomically
        assert.strictEqual(yield* run(Effect.as(opening(account), 7)), 7)
        assert.isTrue(yield* isOpen(account))
      })
    )

    it.effect("a failure undoes every write and is told as it was", () =>
      Effect.gen(function* () {
        const account = Rows.anAccount()
        const { run } = yield* Atomically
        const failure = yield* Effect.flip(
          run(Effect.andThen(opening(account), Effect.fail("no" as const)))
        )
        assert.strictEqual(failure, "no")
        assert.isFalse(yield* isOpen(account))
      })
    )

    it.effect("a defect undoes every write", () =>
      Effect.gen(function* () {
        const account = Rows.anAccount()
        const { run } = yield* Atomically
        const exit = yield* Effect.exit(
          run(Effect.andThen(opening(account), Effect.die(new Error("bug"))))
        )
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
        assert.isFalse(yield* isOpen(account))
      })
    )

    it.effect("an interruption undoes every write", () =>
      Effect.gen(function* () {
        const account = Rows.anAccount()
        const { run } = yield* Atomically
        const written = yield* Deferred.make<void>()
        const fiber = yield* opening(account).pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Effect.never),
          run,
          Effect.forkChild
        )
        yield* Deferred.await(written)
        yield* Fiber.interrupt(fiber)
        assert.isFalse(yield* isOpen(account))
      })
    )

    it.effect("a transaction reads what it wrote itself", () =>
      Effect.gen(function* () {
        const account = Rows.anAccount()
        const { run } = yield* Atomically
        assert.isTrue(yield* run(Effect.andThen(opening(account), isOpen(account))))
      })
    )

    it.effect("nobody sees what is rolled back later", () =>
      Effect.gen(function* () {
        const account = Rows.anAccount()
        const { run } = yield* Atomically
        const written = yield* Deferred.make<void>()
        const decided = yield* Deferred.make<void>()
        const writer = yield* opening(account).pipe(
          Effect.andThen(Deferred.succeed(written, undefined)),
          Effect.andThen(Deferred.await(decided)),
          Effect.andThen(Effect.fail("no")),
          run,
          Effect.forkChild
        )
        yield* Deferred.await(written)
        const outside = yield* Effect.forkChild(isOpen(account))
        const inside = yield* Effect.forkChild(run(isOpen(account)))
        yield* Effect.yieldNow
        yield* Deferred.succeed(decided, undefined)
        assert.isFalse(yield* Fiber.join(outside))
        assert.isFalse(yield* Fiber.join(inside))
        assert.isTrue(Exit.isFailure(yield* Fiber.await(writer)))
      })
    )

    it.effect("transactions at the same time all commit", () =>
      Effect.gen(function* () {
        const { run } = yield* Atomically
        const accounts = Array.from({ length: 32 }, () => Rows.anAccount())
        yield* Effect.forEach(
          accounts,
          (account) => run(Effect.andThen(Effect.yieldNow, opening(account))),
          { concurrency: "unbounded", discard: true }
        )
        for (const account of accounts) assert.isTrue(yield* isOpen(account))
      })
    )
  })
  nestedSuite(name, stores)
  afterCommitSuite(name, stores)
}

const nestedSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: atomically, nested`, (it) => {
    it.effect("a nested run joins: the failure of the outer one undoes it too", () =>
      Effect.gen(function* () {
        const [outer, inner] = [Rows.anAccount(), Rows.anAccount()]
        const { run } = yield* Atomically
        const exit = yield* opening(outer).pipe(
          Effect.andThen(run(opening(inner))),
          Effect.andThen(Effect.fail("no")),
          run,
          Effect.exit
        )
        assert.isTrue(Exit.isFailure(exit))
        assert.isFalse(yield* isOpen(outer))
        assert.isFalse(yield* isOpen(inner))
      })
    )

    it.effect("a nested run that fails undoes its own writes; the outer one may go on", () =>
      Effect.gen(function* () {
        const [outer, inner] = [Rows.anAccount(), Rows.anAccount()]
        const { run } = yield* Atomically
        yield* opening(outer).pipe(
          Effect.andThen(run(Effect.andThen(opening(inner), Effect.fail("no")))),
          Effect.ignore,
          run
        )
        assert.isTrue(yield* isOpen(outer))
        assert.isFalse(yield* isOpen(inner))
      })
    )
  })

const afterCommitSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: atomically, after commit`, (it) => {
    it.effect("what comes after the commit runs once, in order, and sees what was committed", () =>
      Effect.gen(function* () {
        const account = Rows.anAccount()
        const context = yield* Effect.context<Stores>()
        const { afterCommit, run } = yield* Atomically
        const heard: Array<string> = []
        const note = (word: string) =>
          isOpen(account).pipe(
            Effect.flatMap((open) => Effect.sync(() => heard.push(`${word} ${open}`))),
            Effect.asVoid,
            Effect.provideContext(context)
          )
        yield* run(
          Effect.gen(function* () {
            yield* afterCommit(note("first"))
            yield* run(Effect.andThen(opening(account), afterCommit(note("second"))))
            assert.deepStrictEqual(heard, [])
          })
        )
        assert.deepStrictEqual(heard, ["first true", "second true"])
      })
    )

    it.effect("what was to come after the commit never runs after a rollback", () =>
      Effect.gen(function* () {
        const { afterCommit, run } = yield* Atomically
        const heard: Array<string> = []
        const note = (word: string) => afterCommit(Effect.sync(() => void heard.push(word)))
        yield* Effect.exit(run(Effect.andThen(note("failed"), Effect.fail("no"))))
        yield* Effect.exit(run(Effect.andThen(note("died"), Effect.die("bug"))))
        yield* Effect.exit(run(Effect.andThen(run(note("nested")), Effect.fail("no"))))
        yield* run(note("committed"))
        assert.deepStrictEqual(heard, ["committed"])
      })
    )

    it.effect("outside of a transaction it runs at once", () =>
      Effect.gen(function* () {
        const { afterCommit } = yield* Atomically
        const heard: Array<string> = []
        yield* afterCommit(Effect.sync(() => void heard.push("now")))
        assert.deepStrictEqual(heard, ["now"])
      })
    )
  })
