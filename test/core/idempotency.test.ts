/** Who else gets the answer under an idempotency key, what is sealed of it and for which place, and what is said of it. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Schema } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../adapters/memory/store.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { createApiKey } from "../../core/keys/create-key.ts"
import type { Facts, Scope } from "../../core/operation/caller.ts"
import { once } from "../../core/operation/idempotency.ts"
import { InvalidRequest } from "../../core/operation/refusal.ts"
import { Secrets } from "../../core/ports/secrets.ts"
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

const input = { scopes: ["account:read"] }
const [secretField = ""] = createApiKey.secrets
const output = { keyId: "made", [secretField]: "a secret" }

/** What authorizing was handed, call by call. */
const authorizing = () => {
  const handed: Array<Schema.JsonObject | undefined> = []
  return {
    handed,
    authorize: (answer: Schema.JsonObject | undefined) => Effect.sync(() => handed.push(answer))
  }
}

const made = { look: Effect.void, work: () => Effect.succeed(output) }

describe("The answer under an idempotency key", () => {
  it.effect("is given to its first caller whole, and to another key without its secrets", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const other = { ...caller, keyId: Rows.anId() }
        const { authorize, handed } = authorizing()
        const ask = (who: Facts) => once(createApiKey, who, "k", input, { ...made, authorize })
        assert.deepStrictEqual(yield* ask(caller), { output, replayed: false })
        const again = yield* ask(caller)
        assert.isTrue(again.replayed)
        assert.strictEqual(again.output[secretField], "a secret")
        assert.deepStrictEqual(handed, [])
        const shown = yield* ask(other)
        assert.deepStrictEqual(shown, {
          output: { keyId: "made", secretAvailable: false },
          replayed: true
        })
        assert.deepStrictEqual(handed, [{ keyId: "made" }])
      })
    )
  )

  it.effect("is given to no key that could not ask for it", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const other = { ...caller, keyId: Rows.anId() }
        const refused = new InvalidRequest({ message: "No." })
        const refusing = { ...made, authorize: () => Effect.fail(refused) }
        yield* once(createApiKey, caller, "k", input, refusing)
        const said = yield* Effect.flip(once(createApiKey, other, "k", input, refusing))
        assert.strictEqual(said, refused)
      })
    )
  )

  it.effect("that is not there yet is said to be unknown, also to another key", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const other = { ...caller, keyId: Rows.anId() }
        const { authorize, handed } = authorizing()
        const gate = yield* Deferred.make<void>()
        const slow = { look: Deferred.await(gate), work: made.work, authorize }
        const running = yield* Effect.forkChild(once(createApiKey, caller, "k", input, slow))
        yield* TestClock.adjust(1)
        for (const who of [caller, other]) {
          const said = yield* Effect.flip(
            once(createApiKey, who, "k", input, { ...made, authorize })
          )
          assert.deepInclude(said, { _tag: "IDEMPOTENCY_IN_PROGRESS", outcome: "unknown" })
        }
        assert.deepStrictEqual(handed, [undefined])
        const another = { scopes: ["balances:read"] }
        const mismatch = once(createApiKey, caller, "k", another, { ...made, authorize })
        assert.deepInclude(yield* Effect.flip(mismatch), { outcome: "unknown" })
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(running)
        assert.deepInclude(yield* Effect.flip(mismatch), {
          _tag: "IDEMPOTENCY_KEY_REUSED",
          outcome: "executed"
        })
      })
    )
  )

  it.effect("has its secrets sealed for its own place, and nothing else", () =>
    inMemory(
      Effect.gen(function* () {
        const caller = yield* aCaller
        const real = yield* Secrets
        const sealed: Array<readonly [unknown, unknown]> = []
        const secrets: Secrets["Service"] = {
          ...real,
          seal: (place, text) => {
            sealed.push([place, JSON.parse(text)])
            return real.seal(place, text)
          }
        }
        const { authorize } = authorizing()
        yield* once(createApiKey, caller, "k", input, { ...made, authorize }).pipe(
          Effect.provideService(Secrets, secrets)
        )
        const place = { table: "idempotency", row: "create_api_key|k", account: caller.accountId }
        assert.deepStrictEqual(sealed, [[place, { [secretField]: "a secret" }]])
      })
    )
  )
})
