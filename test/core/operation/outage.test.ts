/** What callers and the log are told while the records take no writes, or do not answer. */
import { assert, it } from "@effect/vitest"
import { Effect, Logger, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { supervise } from "../../../core/background/loop.ts"
import * as Outage from "../../../core/background/outage.ts"
import { byScope } from "../../../core/operation/authority.ts"
import type { Facts, Scope } from "../../../core/operation/caller.ts"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import { invoke } from "../../../core/operation/invoke.ts"
import * as Operation from "../../../core/operation/operation.ts"
import { RecordsAway, RecordsReadOnly } from "../../../core/ports/records.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const below = (cause: Error) => Effect.die(new Error("Query failed: secret", { cause }))

const full = below(
  new RecordsReadOnly({ message: "The database takes no writes: no space left", cause: "secret" })
)
const away = below(new RecordsAway({ message: "The database does not answer", cause: "secret" }))

const written = (sideEffect: "write" | "money", work: Effect.Effect<never>) =>
  Operation.make("written", {
    summary: "Writes.",
    next: "Nothing.",
    scope: "account:read",
    sideEffect,
    authority: byScope,
    input: {},
    output: { name: Schema.String },
    handle: (): Effect.Effect<{ readonly name: string }> => work
  })

const callOf = Effect.fnUntraced(function* (
  operation: Operation.Any,
  key?: { readonly idempotencyKey: string }
) {
  const caller: Facts = {
    accountId: (yield* Stored.account()).id,
    keyId: Rows.anId(),
    kind: "developer",
    scopes: new Set<Scope>(["account:read"])
  }
  return yield* invoke(operation, {
    caller,
    input: {},
    requestId: "req_1",
    ...key
  })
})

/** What is logged, and whether a stack came with it. */
const logged = Effect.gen(function* () {
  const said = yield* Ref.make<ReadonlyArray<string>>([])
  const logger = Logger.make(({ cause, message }) => {
    const text = `${String(message)}${cause.reasons.length > 0 ? " and its cause" : ""}`
    Effect.runSync(Ref.update(said, (all) => [...all, text]))
  })
  return { said: Ref.get(said), layer: Logger.layer([logger]) }
})

const line =
  "The database takes no writes: no space left. Nothing is written, what only reads goes on, and the rest does by itself once there is room."

const alone = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provideService(work, Outage.Outages, new Map())

const inMemory = () => Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)

it.effect("a write that nothing can be written of is told as that, and the log hears it once", () =>
  Effect.gen(function* () {
    const { layer, said } = yield* logged
    const answers = yield* Effect.provide(
      Effect.forEach([1, 2, 3], () => callOf(written("write", full))),
      layer
    )
    for (const answer of answers) {
      assert(!answer.ok)
      assert.strictEqual(answer.refusal._tag, "DATABASE_READ_ONLY")
      assert.strictEqual(answer.refusal.outcome, "not_executed")
      assert.isTrue(answer.refusal.retryable)
      assert.notInclude(answer.refusal.message, "secret")
    }
    assert.deepStrictEqual(yield* said, [line])
  }).pipe(alone, Effect.provide(inMemory()))
)

it.effect("money is surely not sent only if the key of the call says so", () =>
  Effect.gen(function* () {
    const money = written("money", full)
    const outcome = (answer: Effect.Success<ReturnType<typeof callOf>>) =>
      answer.ok ? undefined : answer.refusal.outcome
    assert.strictEqual(outcome(yield* callOf(money)), "unknown")
    assert.strictEqual(outcome(yield* callOf(money, { idempotencyKey: "a" })), "not_executed")
    const taken = Effect.updateService(
      callOf(money, { idempotencyKey: "b" }),
      Idempotency,
      (all) => ({
        ...all,
        isTaken: () => Effect.succeed(true)
      })
    )
    assert.strictEqual(outcome(yield* taken), "unknown")
  }).pipe(alone, Effect.provide(inMemory()))
)

it.effect("a database that does not answer is one line for each call, without a stack", () =>
  Effect.gen(function* () {
    const { layer, said } = yield* logged
    const answer = yield* Effect.provide(callOf(written("write", away)), layer)
    assert(!answer.ok)
    assert.strictEqual(answer.refusal._tag, "INTERNAL")
    assert.deepStrictEqual(yield* said, ["written failed: The database does not answer"])
  }).pipe(alone, Effect.provide(inMemory()))
)

it.effect("a key is let in although its use cannot be noted", () =>
  Effect.gen(function* () {
    const { id: accountId } = yield* Stored.account()
    const { apiKey } = yield* Accounts.issued({ accountId, kind: "developer" }, {})
    const noted = (noteUse: Effect.Effect<never>) =>
      Effect.updateService(authenticate(apiKey), Keys, (keys) => ({
        ...keys,
        noteUse: () => noteUse
      }))
    assert.strictEqual((yield* noted(full)).accountId, accountId)
    assert.strictEqual((yield* Effect.exit(noted(away)))._tag, "Failure")
  }).pipe(alone, Effect.provide(inMemory()))
)

it.effect(
  "workers say an outage once, again every five minutes, and anew when it begins anew",
  () =>
    Effect.gen(function* () {
      const { layer, said } = yield* logged
      let isFull = true
      const turn = Effect.suspend(() => (isFull ? full : Effect.sleep("1 second")))
      yield* Effect.forkChild(
        Effect.provide(
          Effect.all([supervise("One", turn), supervise("Another", turn)], {
            concurrency: "unbounded"
          }),
          layer
        )
      )
      yield* TestClock.adjust("4 minutes")
      assert.deepStrictEqual(yield* said, [line])
      assert.isFalse(yield* Outage.mayWrite)
      yield* TestClock.adjust("2 minutes")
      assert.lengthOf(yield* said, 2)
      isFull = false
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* Outage.mayWrite)
      isFull = true
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* said, [line, line, line])
    }).pipe(alone)
)
