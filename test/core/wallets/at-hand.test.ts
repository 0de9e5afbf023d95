/** A list of wallets that is at hand is the list that the store is asked for, and an answer of the same words. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit } from "effect"
import { invoke, invokeIn } from "../../../core/operation/invoke.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { listWallets } from "../../../core/wallets/find.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { aWallet } from "../../support/rows.ts"
import * as Treasury from "../../support/small-treasury.ts"

const pages: ReadonlyArray<Record<string, unknown>> = [
  {},
  { limit: 2 },
  { kind: "standard" },
  { metadataKey: "tier", metadataValue: "gold" },
  { search: "nobody" },
  { since: "2001-01-01T00:00:00Z", until: "2001-01-02T00:00:00Z" },
  { metadataValue: "gold" },
  { customerNamespace: "default" },
  { cursor: "1_x", limit: 1 },
  { since: "2001-01-02T00:00:00Z", until: "2001-01-01T00:00:00Z" }
]

const caller = Effect.map(Treasury.AccountId, (accountId) => ({
  accountId,
  keyId: "key",
  kind: "developer" as const,
  scopes: new Set(Treasury.everyScope)
}))

/** What is told of a call, but how many are left. */
const told = ({ allowance: _, ...answer }: Effect.Success<ReturnType<typeof invoke>>) =>
  JSON.stringify(answer)

const answered = Effect.fnUntraced(function* (input: unknown) {
  return told(yield* invoke(listWallets, { caller: yield* caller, input, requestId: "req_1" }))
})

/** The same wallets, of which nothing is at hand. */
const asked = Effect.map(Wallets, ({ atHand: _, ...wallets }) => Wallets.of(wallets))

describe("wallets that are at hand", () => {
  it.effect.each(pages)("are answered as the store is: %j", (input) =>
    Effect.gen(function* () {
      const byEffect = yield* Effect.provideServiceEffect(answered(input), Wallets, asked)
      assert.strictEqual(yield* answered(input), byEffect)
    }).pipe(Effect.provide(Treasury.layer({ wallets: 5 })))
  )

  it.effect("are those of the account that asks, as they are now", () =>
    Effect.gen(function* () {
      const accountId = yield* Treasury.AccountId
      const wallets = yield* Wallets
      const rows = () => wallets.atHand?.(accountId, {}, { limit: 10 })?.rows.length
      assert.strictEqual(rows(), 2)
      yield* wallets.add(aWallet(accountId))
      yield* wallets.add(aWallet("another account"))
      assert.strictEqual(rows(), 3)
    }).pipe(Effect.provide(Treasury.layer({ wallets: 2 })))
  )

  it.effect("are none while a transaction is under way, which may be undone", () =>
    Effect.gen(function* () {
      const accountId = yield* Treasury.AccountId
      const wallets = yield* Wallets
      const { run } = yield* Atomically
      const undone = Effect.gen(function* () {
        yield* wallets.add(aWallet(accountId))
        assert.isUndefined(wallets.atHand?.(accountId, {}, { limit: 10 }))
        return yield* Effect.fail("no")
      })
      assert.deepStrictEqual(yield* Effect.exit(run(undone)), Exit.fail("no"))
      assert.strictEqual(wallets.atHand?.(accountId, {}, { limit: 10 })?.rows.length, 2)
    }).pipe(Effect.provide(Treasury.layer({ wallets: 2 })))
  )

  it.effect("are answered at once, and counted", () =>
    Effect.gen(function* () {
      const call = { caller: yield* caller, input: {}, requestId: "req_1" }
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof answered>>>()
      const done = invokeIn(Context.omit(Treasury.AccountId)(context), listWallets, call)
      assert.isTrue(Exit.isExit(done) && Exit.isSuccess(done))
      const first = yield* done
      const second = yield* invoke(listWallets, call)
      assert.strictEqual(second.allowance?.remaining, (first.allowance?.remaining ?? 0) - 1)
    }).pipe(Effect.provide(Treasury.layer({ wallets: 2 })))
  )
})
