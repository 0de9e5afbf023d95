/** Limits that changed in the configuration are in force at once, whichever of them it was. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import * as Usd from "../../../core/money/usd.ts"
import type { Limits } from "../../../core/policy/limits.ts"
import { PolicySettings } from "../../../core/policy/policy-settings.ts"
import { currentRevision, revisionOf } from "../../../core/policy/revision.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import * as Stored from "../../support/stored-rows.ts"

const inMemory = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1))

/** The same stores under another configuration of the tier. */
const under =
  (over: Partial<Limits>, tier: "personal" | "startup" = "startup") =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(PolicySettings, (settings) => {
      const tiers = { ...settings.tiers, [tier]: { ...settings.tiers[tier], ...over } }
      return Effect.provideService(work, PolicySettings, { ...settings, tiers })
    })

const anAccount = Effect.map(Stored.account({ tier: "startup" }), ({ id }) => id)

const revised = Effect.fnUntraced(function* (accountId: string) {
  const { rows } = yield* (yield* Audit).list(accountId, { limit: 100 })
  return rows.map(({ action, actor, facts, subjectId, subjectType }) => ({
    action,
    actor,
    facts,
    subjectId,
    subjectType
  }))
})

it.effect.each(["perTransferMicro", "dailyMicro", "monthlyMicro", "hardCapMicro"] as const)(
  "another %s alone is a new revision, read and written",
  (field) =>
    inMemory(
      Effect.gen(function* () {
        const accountId = yield* anAccount
        const first = yield* currentRevision(accountId)
        assert.strictEqual(first.number, 1)
        const tighter = { [field]: first[field] - 1n }
        const read = yield* under(tighter)(revisionOf(accountId))
        assert.deepInclude(read, { ...tighter, number: 2, tier: "startup" })
        // A read writes nothing.
        assert.deepStrictEqual(yield* (yield* Spending).revision(accountId), first)
        const written = yield* under(tighter)(currentRevision(accountId))
        assert.deepInclude(written, { ...tighter, number: 2 })
        assert.deepStrictEqual(yield* (yield* Spending).revision(accountId), written)
        assert.deepInclude(yield* revisionOf(accountId), { [field]: first[field], number: 3 })
      })
    )
)

it.effect("a tier of the very same limits is a revision of its own", () =>
  inMemory(
    Effect.gen(function* () {
      const accountId = yield* anAccount
      const first = yield* currentRevision(accountId)
      yield* (yield* Accounts).retier(accountId, "personal")
      const alike = under(first, "personal")
      assert.deepInclude(yield* alike(revisionOf(accountId)), { number: 2, tier: "personal" })
    })
  )
)

it.effect("limits that did not change are one revision, told once", () =>
  inMemory(
    Effect.gen(function* () {
      const accountId = yield* anAccount
      const first = yield* currentRevision(accountId)
      assert.deepStrictEqual(yield* currentRevision(accountId), first)
      assert.deepStrictEqual(yield* revisionOf(accountId), first)
      assert.deepStrictEqual(yield* revised(accountId), [
        {
          action: "policy.revised",
          actor: "system",
          facts: { tier: "startup" },
          subjectId: "1",
          subjectType: "policy_revision"
        }
      ])
    })
  )
)

it.effect("whoever loses the race for a number goes by what won, and tells nothing", () =>
  inMemory(
    Effect.gen(function* () {
      const accountId = yield* anAccount
      const spending = yield* Spending
      const won = { ...(yield* revisionOf(accountId)), perTransferMicro: Usd.make(7n) }
      // The winner writes between the loser's look and its own writing.
      const late = {
        ...spending,
        revise: (mine: typeof won) => Effect.andThen(spending.revise(won), spending.revise(mine))
      }
      const judgedBy = yield* Effect.provideService(currentRevision(accountId), Spending, late)
      assert.deepStrictEqual(judgedBy, won)
      assert.deepStrictEqual(yield* revised(accountId), [])
    })
  )
)
