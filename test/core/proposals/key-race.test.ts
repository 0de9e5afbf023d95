/** A key's cap holds at the reservation too: of two that were both judged while there was room, one is refused. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import { keyOf } from "../../../core/chains/address.ts"
import * as Usd from "../../../core/money/usd.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import {
  boundsOf,
  checkKeys,
  reserveForKeys,
  tightest
} from "../../../core/proposals/key-bounds.ts"
import { ofProposal } from "../../../core/submissions/identity.ts"
import { Identity } from "../../../core/timeline/identity.ts"
import { spends } from "../../../core/transfers/send.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

it.effect("a reservation that loses its race is refused, and holds nothing", () =>
  Effect.gen(function* () {
    const { id: accountId } = yield* Stored.account()
    const recipient = yield* Stored.recipient(accountId, { status: "approved" })
    const key = Rows.aKey(accountId, { dailyCapMicro: 10n })
    yield* (yield* Keys).issue(key, Rows.aDigest())
    const spent = {
      walletId: Rows.anId(),
      recipientId: recipient.id,
      amountMicro: Usd.make(6n),
      isCapped: true
    }
    const proposed = Stored.proposal({ accountId, proposedBy: key.id, recipientId: recipient.id })
    const [first, second] = [yield* proposed, yield* proposed]
    const spending = yield* Spending
    // Both were judged before either had reserved.
    const early = { ...spending, usedByKey: () => Effect.succeed(Usd.zero) }
    const reserve = (proposal: typeof first) =>
      Effect.provideService(
        Effect.flatMap(boundsOf(proposal, spent), (caps) => reserveForKeys(proposal, spent, caps)),
        Spending,
        early
      )
    yield* reserve(first)
    const refused = yield* Effect.flip(reserve(second))
    assert.strictEqual(refused._tag, "POLICY_LIMIT_EXCEEDED")
    assert.deepStrictEqual(refused.details?.verdicts, [
      {
        rule: "key_daily",
        capUsd: "0.00001",
        usedUsd: "0.000006",
        headroomUsd: "0.000004",
        passes: false
      }
    ])
    const { day } = windowsAt(yield* DateTime.now)
    assert.strictEqual(yield* spending.usedByKey(key.id, day), 6n)
  }).pipe(Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)))
)

it.effect("a repeated call is not held against what was charged for its own payment", () =>
  Effect.gen(function* () {
    const { id: accountId } = yield* Stored.account()
    const recipient = yield* Stored.recipient(accountId, { status: "approved" })
    const key = Rows.aKey(accountId, { dailyCapMicro: 10n })
    yield* (yield* Keys).issue(key, Rows.aDigest())
    const spent = yield* spends(accountId, {
      amountSmallestUnit: Usdc.make(7n),
      fromWalletId: Rows.anId(),
      recipientId: recipient.id
    })
    const call = { operation: "propose_transfer", idempotencyKey: "invoice-1" }
    const at = yield* DateTime.now
    const { chainId } = recipient
    const identity = (yield* Identity).derive(ofProposal({ id: "", accountId, call }))
    yield* (yield* Spending).charge([
      {
        accountId,
        chainId,
        identity,
        to: keyOf(chainId, recipient.address),
        amountMicro: Usd.make(7n),
        windows: windowsAt(at),
        at
      }
    ])
    const behind = { id: "", accountId, call, proposedBy: key.id, confirmedBy: null }
    yield* checkKeys(behind, spent)
    const other = { ...behind, call: { ...call, idempotencyKey: "invoice-2" } }
    const refused = yield* Effect.flip(checkKeys(other, spent))
    assert.strictEqual(refused._tag, "POLICY_LIMIT_EXCEEDED")
  }).pipe(Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)))
)

it("the cap that is told is the one that leaves least room, whatever was used of it", () => {
  const verdict = (capMicro: bigint, usedMicro: bigint) => ({
    rule: "key_daily" as const,
    capMicro: Usd.make(capMicro),
    usedMicro: Usd.make(usedMicro),
    passes: true
  })
  const [roomy, used, low] = [verdict(10n, 1n), verdict(100n, 95n), verdict(7n, 0n)]
  assert.strictEqual(tightest([roomy, used, low]), used)
  assert.strictEqual(tightest([low, roomy]), low)
  assert.strictEqual(tightest([roomy, low]), low)
  assert.isUndefined(tightest([]))
})

it.effect("what stays in the account needs no room under a key's cap, and takes none", () =>
  Effect.gen(function* () {
    const { id: accountId } = yield* Stored.account()
    const recipient = yield* Stored.recipient(accountId, { status: "approved" })
    const key = Rows.aKey(accountId, { dailyCapMicro: 10n })
    yield* (yield* Keys).issue(key, Rows.aDigest())
    const of = { accountId, proposedBy: key.id, recipientId: recipient.id }
    const proposal = yield* Stored.proposal(of)
    const above = { walletId: Rows.anId(), recipientId: recipient.id, amountMicro: Usd.make(11n) }
    assert.deepStrictEqual(yield* boundsOf(proposal, { ...above, isCapped: false }), [])
    const refused = yield* Effect.flip(boundsOf(proposal, { ...above, isCapped: true }))
    assert.strictEqual(refused._tag, "POLICY_LIMIT_EXCEEDED")
  }).pipe(Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)))
)
