/** A tier that is tightened while its account confirms: every send goes on or is superseded, none hangs between. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Layer, Result } from "effect"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { setTier } from "../../../core/proposals/set-tier.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as CappedAccount from "../../support/capped-account.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as SmallTreasury from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"

const treasury = Layer.merge(
  SmallTreasury.layer(),
  Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engine))
)

const sends = 12

/** An agent that may confirm sends of 2000 USDC, more than personal lets one transfer move. */
const agentWithSends = Effect.gen(function* () {
  const [, agent] = yield* bothFurnished
  const { accountId, wallet } = agent
  const { run } = yield* Atomically
  yield* run(setTier(accountId, "startup"))
  const [payee] = (yield* (yield* Recipients).list(accountId, { limit: 1 })).rows
  assert.isDefined(payee)
  const planted = yield* Effect.forEach(Array.from({ length: sends }), (_, at) =>
    Stored.proposal({
      accountId,
      recipientId: payee?.id ?? "",
      createdAt: Rows.at(at),
      expiresAt: Rows.at(86_400),
      terms: {
        fromWalletId: wallet.id,
        fromAddress: wallet.address,
        recipientId: payee?.id ?? "",
        toAddress: payee?.address ?? "",
        chainId: "local",
        amountSmallestUnit: "2000000000",
        memo: null
      }
    })
  )
  const ids = Object.fromEntries(planted.map(({ id }, at) => [`send ${at}`, id]))
  return { accountId, call: callsOf(agent.caller), ids }
})

layer(treasury)("a tier set while its account confirms", (it) => {
  it.effect.each([1, 3, 5])(
    "leaves nothing waiting, and reserves what goes on (after %s)",
    (after) =>
      Effect.gen(function* () {
        const { accountId, call, ids } = yield* agentWithSends
        const { run } = yield* Atomically
        const begins = yield* Deferred.make<void>()
        let confirmed = 0
        const confirm = (proposalId: string) =>
          call.confirm_proposal({ proposalId }).pipe(
            Effect.result,
            Effect.tap(() => {
              confirmed += 1
              return confirmed === after ? Deferred.succeed(begins, undefined) : Effect.void
            })
          )
        // The newest first, so that the two meet: what is taken back is locked from the oldest on.
        const order = Object.values(ids).toReversed()
        const tightening = Effect.andThen(
          Deferred.await(begins),
          run(setTier(accountId, "personal"))
        )
        const [set, results] = yield* Effect.all(
          [tightening, Effect.forEach(order, confirm, { concurrency: 2 })],
          { concurrency: "unbounded" }
        )
        const ended = Object.values(yield* CappedAccount.statuses(accountId, ids))
        const going = ended.filter((status) => status === "executing").length
        assert.strictEqual(ended.filter((status) => status === "superseded").length, sends - going)
        assert.lengthOf(set.superseded, sends - going)
        assert.isAtLeast(going, after)
        for (const result of results.filter(Result.isFailure)) {
          assert.strictEqual(result.failure._tag, "PROPOSAL_NOT_CONFIRMABLE")
        }
        const windows = windowsAt(yield* DateTime.now)
        const { dayMicro } = yield* (yield* Spending).used(accountId, windows)
        assert.strictEqual(dayMicro, BigInt(going) * 2_000_000_000n)
      })
  )
})
