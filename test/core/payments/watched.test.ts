/** A payment request is opened only on a chain that is watched, so that no payment of it comes before the first look. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { Cursors } from "../../../core/payments/transfer-store.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { watchAll } from "../../../core/payments/watched.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { seedAccounts } from "../../../core/treasury/seed.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as Value from "../../support/chain-values.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const merchant = Effect.gen(function* () {
  const { run } = yield* Atomically
  const { apiKey, vault } = yield* run(
    seedAccounts({
      kind: "developer",
      name: "Corner Shop",
      tier: "startup",
      chainId: "local",
      customer: { externalId: "user_42", namespace: "default" },
      payee: { label: "Payee", address: Value.address(`0x${"70".repeat(20)}`) }
    })
  )
  return { calls: callsOf(yield* authenticate(apiKey)), vault }
})

const look = Effect.gen(function* () {
  const { connected } = yield* Chains
  const local = connected.find(({ chain }) => chain.id === "local")
  if (local === undefined) return yield* Effect.die(new Error("It is not connected."))
  yield* watchOnce(local)
  yield* watchOnce(local)
})

it.effect("what is paid and final before anybody has looked at the chain is credited", () =>
  Effect.gen(function* () {
    const { calls, vault } = yield* merchant
    const { mine, pay } = yield* ChainScript
    const asked = { walletMappingId: vault.id, amountUsd: 5 }
    const request = yield* calls.create_payment_request(asked, { idempotencyKey: "first" })
    yield* pay({ to: vault.address, amountMicro: 5_000_000n })
    yield* mine(10)
    yield* look
    const paid = yield* calls.get_payment_request({ idOrPid: request.pid })
    assert.strictEqual(paid.status, "paid")
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect(
  "on a chain that was never looked at and is away nothing is opened, and later it is",
  () =>
    Effect.gen(function* () {
      const { calls, vault } = yield* merchant
      const { outage } = yield* ChainScript
      const open = calls.create_payment_request(
        { walletMappingId: vault.id, amountUsd: 5 },
        { idempotencyKey: "first" }
      )
      const sell = calls.create_checkout_session(
        {
          customer: { externalId: "user_42" },
          amountUsd: 5,
          product: { slug: "cards", name: "Cards", externalSkuId: "SKU" },
          expiresInMinutes: 10
        },
        { idempotencyKey: "second" }
      )
      yield* outage(true)
      for (const refused of [yield* Effect.flip(open), yield* Effect.flip(sell)]) {
        assert.strictEqual((refused as { readonly _tag: string })._tag, "UPSTREAM_UNAVAILABLE")
        assert.include(refused.message, "local does not respond")
      }
      assert.isUndefined(yield* (yield* Cursors).find("local"))
      yield* outage(false)
      assert.strictEqual((yield* open).status, "open")
      assert.isDefined(yield* (yield* Cursors).find("local"))
      // From now on an outage is no reason: what is paid meanwhile is found afterwards.
      yield* outage(true)
      assert.strictEqual((yield* sell).status, "open")
    }).pipe(Effect.provide(memoryTreasury))
)

it.effect("a chain that never answers holds up no other", () =>
  Effect.gen(function* () {
    const chains = yield* Chains
    const cursors = yield* Cursors
    const asked: Array<string> = []
    const newestFinal: typeof chains.newestFinal = (chainId) => {
      asked.push(chainId)
      return chainId === "local" ? Effect.never : chains.newestFinal(chainId)
    }
    const looking = yield* watchAll.pipe(
      Effect.provideService(Chains, { ...chains, newestFinal }),
      Effect.forkChild
    )
    yield* TestClock.adjust("2 seconds")
    assert.sameMembers(asked, ["local", "local-2", "local-solana"])
    assert.isDefined(yield* cursors.find("local-2"))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual([...(yield* Fiber.join(looking))], ["local"])
    assert.isUndefined(yield* cursors.find("local"))
  }).pipe(Effect.provide(memoryTreasury))
)
