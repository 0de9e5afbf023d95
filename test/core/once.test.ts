/** A write under an idempotency key: done once, answered the same, freed when it fails, and nobody else's meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../adapters/memory/store.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { createApiKey } from "../../core/keys/create-key.ts"
import type { Facts, Scope } from "../../core/operation/caller.ts"
import { Deployment } from "../../core/operation/deployment.ts"
import { type Doing, once as onceAuthorized } from "../../core/operation/idempotency.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { InvalidRequest } from "../../core/operation/refusal.ts"
import { setWalletMetadata } from "../../core/wallets/rename.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const inMemory = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1))

const aCaller = Effect.map(
  Stored.account(),
  ({ id: accountId }): Facts => ({
    accountId,
    keyId: Rows.anId(),
    kind: "developer",
    scopes: new Set<Scope>()
  })
)

const input = { accountId: "w", metadata: { till: "1" } }

/** Work that counts how often it was done, and its answer each time. */
const counted = () => {
  let done = 0
  const work = () => Effect.sync(() => ({ nickname: `done ${++done}` }))
  return { doing: { look: Effect.void, work }, done: () => done }
}

/** Everybody here may do what they ask for; `test/support/replay-suite.ts` tries those who may not. */
const once = <Seen, E, R>(
  operation: Operation.Any,
  caller: Facts,
  key: string,
  given: unknown,
  doing: Omit<Doing<Seen, E, R>, "authorize">
) => onceAuthorized(operation, caller, key, given, { ...doing, authorize: () => Effect.void })

const refused = new InvalidRequest({ message: "No." })

describe("a write under an idempotency key", () => {
  it.effect(
    "is done once and answered the same, for its own key, operation and account alone",
    () =>
      inMemory(
        Effect.gen(function* () {
          const [caller, stranger] = [yield* aCaller, yield* aCaller]
          const { doing, done } = counted()
          const first = yield* once(setWalletMetadata, caller, "k", input, doing)
          const again = yield* once(setWalletMetadata, caller, "k", { ...input }, doing)
          assert.deepStrictEqual(first, { output: { nickname: "done 1" }, replayed: false })
          assert.deepStrictEqual(again, { output: { nickname: "done 1" }, replayed: true })
          assert.strictEqual(done(), 1)
          const others = [
            yield* once(setWalletMetadata, caller, "l", input, doing),
            yield* once(setWalletMetadata, stranger, "k", input, doing),
            yield* once(createApiKey, caller, "k", { scopes: ["account:read"] }, doing)
          ]
          assert.deepStrictEqual(
            others.map(({ replayed }) => replayed),
            [false, false, false]
          )
          assert.strictEqual(done(), 4)
        })
      )
  )

  it.effect("is refused with another input, done or not", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const { doing, done } = counted()
        yield* once(setWalletMetadata, caller, "k", input, doing)
        const other = { ...input, metadata: { till: "2" } }
        const said = yield* Effect.flip(once(setWalletMetadata, caller, "k", other, doing))
        assert.deepInclude(said, { _tag: "IDEMPOTENCY_KEY_REUSED", param: "idempotencyKey" })
        assert.strictEqual(done(), 1)
      })
    )
  )

  it.effect.each(["look", "work"] as const)("that fails in its %s frees its key", (part) =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const { doing, done } = counted()
        const failing = {
          look: part === "look" ? Effect.fail(refused) : Effect.void,
          work: () => (part === "work" ? Effect.fail(refused) : Effect.succeed({}))
        }
        const said = yield* Effect.flip(once(setWalletMetadata, caller, "k", input, failing))
        assert.strictEqual(said, refused)
        const after = yield* once(setWalletMetadata, caller, "k", input, doing)
        assert.deepStrictEqual([after.replayed, done()], [false, 1])
      })
    )
  )

  it.effect("that is given up frees its key", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const { doing } = counted()
        const never = { look: Effect.never, work: doing.work }
        const fiber = yield* Effect.forkChild(once(setWalletMetadata, caller, "k", input, never))
        yield* TestClock.adjust(1)
        yield* Fiber.interrupt(fiber)
        assert.isFalse((yield* once(setWalletMetadata, caller, "k", input, doing)).replayed)
      })
    )
  )

  it.effect("that runs is said to run, for as long as it does and no longer than its lease", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const { idempotencyLeaseMs } = yield* Deployment
        const { doing, done } = counted()
        const gate = yield* Deferred.make<void>()
        const slow = { look: Deferred.await(gate), work: doing.work }
        const fiber = yield* Effect.forkChild(once(setWalletMetadata, caller, "k", input, slow))
        yield* TestClock.adjust(1)
        const early = yield* Effect.flip(once(setWalletMetadata, caller, "k", input, doing))
        assert.strictEqual(early._tag, "IDEMPOTENCY_IN_PROGRESS")
        // A call takes moments: whoever is told to wait for the lease waits for nothing.
        assert.strictEqual(early.details?.retryAfterSeconds, 2)
        // Held by renewing, far beyond the lease it began with.
        yield* TestClock.adjust(idempotencyLeaseMs * 5 + 1)
        const late = yield* Effect.flip(once(setWalletMetadata, caller, "k", input, doing))
        assert.strictEqual(late._tag, "IDEMPOTENCY_IN_PROGRESS")
        const wait = late.details?.retryAfterSeconds as number
        assert.isAtLeast(wait, 1)
        assert.isAtMost(wait, 2)
        assert.strictEqual(done(), 0)
        yield* Deferred.succeed(gate, undefined)
        assert.isFalse((yield* Fiber.join(fiber)).replayed)
        assert.isTrue((yield* once(setWalletMetadata, caller, "k", input, doing)).replayed)
        assert.strictEqual(done(), 1)
      })
    )
  )

  it.effect("whose key was taken over meanwhile keeps nothing of its work", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const { accountId } = caller
        const idempotency = yield* Idempotency
        const slot = { accountId, operation: setWalletMetadata.name, key: "k" }
        const reservations: Array<Parameters<typeof idempotency.reserve>[0]> = []
        const watching = {
          ...idempotency,
          reserve: (reservation: (typeof reservations)[number]) => {
            reservations.push(reservation)
            return idempotency.reserve(reservation)
          }
        }
        const work = () =>
          Effect.gen(function* () {
            yield* Stored.wallet(accountId, { name: "of the loser" })
            const [mine] = reservations
            if (mine === undefined) return assert.fail("nothing was reserved")
            const later = DateTime.add(mine.leaseEndsAt, { seconds: 1 })
            const leaseEndsAt = DateTime.add(later, { seconds: 30 })
            const taken = { ...mine, leaseOwner: Rows.anId(), now: later, leaseEndsAt }
            assert.strictEqual((yield* idempotency.reserve(taken))._tag, "reserved")
            return { nickname: "lost" }
          })
        const lost = yield* once(setWalletMetadata, caller, "k", input, {
          look: Effect.void,
          work
        }).pipe(Effect.provideService(Idempotency, watching), Effect.flip)
        assert.deepInclude(lost, { _tag: "IDEMPOTENCY_IN_PROGRESS" })
        assert.deepStrictEqual(lost.details, { retryAfterSeconds: 1 })
        assert.deepInclude(reservations[0], slot)
      })
    )
  )
})

describe("an answer with a secret", () => {
  const output = { id: "1", apiKey: "svc_hu_secret", prefix: "svc_hu_" }
  const doing = { look: Effect.void, work: () => Effect.succeed(output) }
  const asked = { scopes: ["account:read"] }

  it.effect("is kept sealed for a day, replayed byte for byte, and then without the secret", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const idempotency = yield* Idempotency
        const kept: Array<{ readonly body: string; readonly sealedSecrets: string | null }> = []
        const watching = {
          ...idempotency,
          answer: (...[slot, leaseOwner, answer]: Parameters<typeof idempotency.answer>) => {
            kept.push(answer)
            return idempotency.answer(slot, leaseOwner, answer)
          }
        }
        const call = once(createApiKey, caller, "k", asked, doing)
        yield* Effect.provideService(call, Idempotency, watching)
        assert.lengthOf(kept, 1)
        assert.notInclude(JSON.stringify(kept), "svc_hu_secret")
        assert.isString(kept[0]?.sealedSecrets)
        const again = yield* call
        assert.isTrue(again.replayed)
        assert.deepStrictEqual(again.output, output)
        const fields = Object.keys(createApiKey.output.fields).filter((field) => field in output)
        assert.deepStrictEqual(Object.keys(again.output), fields)
        const day = 86_400_000
        const erased = (ms: number) => idempotency.eraseSecrets(DateTime.makeUnsafe(ms), 100)
        assert.strictEqual(yield* erased(day - 1), 0)
        assert.deepStrictEqual((yield* call).output, output)
        assert.strictEqual(yield* erased(day), 1)
        const { apiKey: _, ...open } = output
        assert.deepStrictEqual(yield* call, {
          output: { ...open, secretAvailable: false },
          replayed: true
        })
      })
    )
  )

  it.effect("is sealed for its own place: what has none has nothing sealed", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const idempotency = yield* Idempotency
        const kept: Array<unknown> = []
        const watching = {
          ...idempotency,
          answer: (...[slot, leaseOwner, answer]: Parameters<typeof idempotency.answer>) => {
            kept.push(answer)
            return idempotency.answer(slot, leaseOwner, answer)
          }
        }
        const { doing: plain } = counted()
        yield* Effect.provideService(
          once(setWalletMetadata, caller, "k", input, plain),
          Idempotency,
          watching
        )
        assert.deepStrictEqual(kept, [
          { body: '{"nickname":"done 1"}', sealedSecrets: null, secretsEraseAt: null }
        ])
      })
    )
  )
})
