/** A tier or plan that is tightened takes back what waits above it, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { tiers } from "../../../core/policy/plan.ts"
import { PolicySettings } from "../../../core/policy/policy-settings.ts"
import { revisionOf } from "../../../core/policy/revision.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { setPlan } from "../../../core/proposals/set-plan.ts"
import { setTier } from "../../../core/proposals/set-tier.ts"
import * as CappedAccount from "../../support/capped-account.ts"

const inMemory = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1))

const set = (accountId: string, tier: "personal" | "startup") =>
  Effect.flatMap(Atomically, ({ run }) => run(setTier(accountId, tier)))

const actions = (accountId: string) =>
  Effect.map(
    Effect.flatMap(Audit, (audit) => audit.list(accountId, { limit: 100 })),
    ({ rows }) => rows.map(({ action, actor }) => `${action} by ${actor}`).sort()
  )

describe("setting a tier", () => {
  it.effect("supersedes what waits above the tighter caps, and leaves the rest as it is", () =>
    inMemory(
      Effect.gen(function* () {
        const { accountId, ids } = yield* CappedAccount.planted
        const { account, superseded } = yield* set(accountId, "personal")
        assert.strictEqual(account.tier, "personal")
        assert.sameMembers(
          [...superseded],
          [ids.above, ids.aboveAndConfirmed, ids.refundAbove, ids.allowanceAboveAll]
        )
        assert.deepStrictEqual(
          yield* CappedAccount.statuses(accountId, ids),
          CappedAccount.afterTightening
        )
        assert.deepStrictEqual(yield* actions(accountId), [
          "account.tier_set by operator",
          "proposal.superseded by operator",
          "proposal.superseded by operator",
          "proposal.superseded by operator",
          "proposal.superseded by operator"
        ])
        const { perTransferMicro, tier } = yield* revisionOf(accountId)
        assert.deepStrictEqual([tier, perTransferMicro], ["personal", 1_000_000_000n])
      })
    )
  )

  it.effect("to a wider one supersedes only what is above the hard cap of every tier", () =>
    inMemory(
      Effect.gen(function* () {
        const { accountId, ids } = yield* CappedAccount.planted
        const before = yield* CappedAccount.statuses(accountId, ids)
        yield* (yield* Accounts).retier(accountId, "personal")
        assert.deepStrictEqual((yield* set(accountId, "startup")).superseded, [
          ids.allowanceAboveAll
        ])
        assert.deepStrictEqual(yield* CappedAccount.statuses(accountId, ids), {
          ...before,
          allowanceAboveAll: "superseded"
        })
      })
    )
  )

  it.effect("again judges what waits by the hard cap as it is configured now", () =>
    inMemory(
      Effect.gen(function* () {
        const { accountId, ids } = yield* CappedAccount.planted
        const tight = { ...tiers.startup, hardCapMicro: 1_000_000_000n }
        const again = Effect.provideService(set(accountId, "startup"), PolicySettings, {
          ...(yield* PolicySettings),
          tiers: { ...tiers, startup: tight }
        })
        assert.lengthOf((yield* again).superseded, 5)
        assert.lengthOf((yield* again).superseded, 0)
        assert.deepStrictEqual(yield* CappedAccount.statuses(accountId, ids), {
          ...CappedAccount.afterTightening,
          allowance: "superseded"
        })
        assert.notInclude(yield* actions(accountId), "account.tier_set by operator")
      })
    )
  )

  it.effect("of an account nobody opened is refused", () =>
    inMemory(
      Effect.gen(function* () {
        const refusal = yield* Effect.flip(set("nobody", "personal"))
        assert.strictEqual(refusal._tag, "NOT_FOUND")
      })
    )
  )
})

describe("setting a plan", () => {
  it.effect(
    "supersedes what waits above a smaller one, whether it is one or one that has ended",
    () =>
      inMemory(
        Effect.gen(function* () {
          for (const [plan, until] of [
            ["personal", null],
            ["startup", yield* DateTime.now]
          ] as const) {
            const { accountId, ids } = yield* CappedAccount.plantedForAgent
            const { run } = yield* Atomically
            const { account, superseded } = yield* run(setPlan(accountId, plan, until))
            assert.deepInclude(account, { tier: plan, subscriptionExpiresAt: until })
            assert.lengthOf(superseded, 4)
            assert.deepStrictEqual(
              yield* CappedAccount.statuses(accountId, ids),
              CappedAccount.afterTightening
            )
          }
        })
      )
  )
})
