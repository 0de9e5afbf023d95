/** When a transfer would pass at the earliest, for each rule that only time can mend, and none that it cannot. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Caller, type Scope } from "../../../core/operation/caller.ts"
import { type Limits, windowsAt } from "../../../core/policy/limits.ts"
import { PolicySettings } from "../../../core/policy/policy-settings.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import type { Recipient } from "../../../core/recipients/recipient.ts"
import { simulateTransfer } from "../../../core/transfers/simulate.ts"
import type { Plain } from "../../support/plain.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const usdc = 1_000_000n
const instant = (text: string) => DateTime.makeUnsafe(text)
const now = "2026-11-21T15:00:00.000Z"
const tomorrow = "2026-11-22T00:00:00.000Z"
const nextMonth = "2026-12-01T00:00:00.000Z"

const limits = SendingRows.limits({
  perTransferMicro: 100n * usdc,
  dailyMicro: 150n * usdc,
  monthlyMicro: 400n * usdc,
  hardCapMicro: 120n * usdc
})

interface Case {
  readonly recipient?: Partial<Recipient>
  readonly limits?: Plain<Partial<Limits>>
  /** Sent today, and on another day of this month. */
  readonly usedToday?: bigint
  readonly usedBefore?: bigint
  readonly amountUsdc?: string
}

const spent = Effect.fnUntraced(function* (accountId: string, amountMicro: bigint, at: string) {
  const proposal = yield* Stored.proposal({ accountId })
  const windows = windowsAt(instant(at))
  const over = { amountMicro, windows, at: instant(at) }
  const most = 10n ** 12n
  const wide = SendingRows.limits({
    perTransferMicro: most,
    dailyMicro: most,
    monthlyMicro: most,
    hardCapMicro: most
  })
  yield* (yield* Spending).reserve(SendingRows.aReservation(proposal, over), wide)
})

const simulated = (given: Case) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(DateTime.toEpochMillis(instant(now)))
    const { id: accountId } = yield* Stored.account({ tier: "personal" })
    const recipient = yield* Stored.recipient(accountId, {
      chainId: "local",
      status: "approved",
      ...given.recipient
    })
    if (given.usedToday !== undefined) yield* spent(accountId, given.usedToday, now)
    if (given.usedBefore !== undefined) {
      yield* spent(accountId, given.usedBefore, "2026-11-03T00:00:00Z")
    }
    const settings = yield* PolicySettings
    const tiers = { ...settings.tiers, personal: { ...limits, ...given.limits } }
    const { allowed, approvalsNeeded, earliestAt } = yield* simulateTransfer
      .handle(
        { recipientId: recipient.id, amountUsdc: given.amountUsdc ?? "60.00" },
        undefined,
        undefined
      )
      .pipe(
        Effect.provideService(PolicySettings, { ...settings, tiers }),
        Effect.provideService(Caller, {
          accountId,
          keyId: Rows.anId(),
          kind: "agent",
          scopes: new Set<Scope>()
        })
      )
    return {
      allowed,
      approvalsNeeded,
      earliestAt: earliestAt === null ? null : DateTime.formatIso(earliestAt)
    }
  }).pipe(Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)))

const cooling = (ends: string): Partial<Recipient> => ({
  status: "pending",
  cooldownEndsAt: instant(ends)
})

const cases: ReadonlyArray<readonly [string, Case, boolean, string | null]> = [
  ["nothing stands against it", {}, true, now],
  ["its cooldown ended long ago", { recipient: cooling("2026-11-01T00:00:00.000Z") }, true, now],
  [
    "an approved recipient once had a cooldown that would end later",
    {
      recipient: { status: "approved", cooldownEndsAt: instant(nextMonth) },
      usedToday: 100n * usdc
    },
    false,
    tomorrow
  ],
  [
    "the recipient is in its cooldown",
    { recipient: cooling("2026-11-21T21:00:00.000Z") },
    false,
    "2026-11-21T21:00:00.000Z"
  ],
  [
    "the cooldown ends before the day's cap is free",
    { recipient: cooling("2026-11-21T21:00:00.000Z"), usedToday: 100n * usdc },
    false,
    tomorrow
  ],
  [
    "the cooldown ends after the day's cap is free",
    { recipient: cooling("2026-11-22T09:00:00.000Z"), usedToday: 100n * usdc },
    false,
    "2026-11-22T09:00:00.000Z"
  ],
  ["the recipient is revoked", { recipient: { status: "revoked" } }, false, null],
  [
    "the recipient is revoked and the day's cap is used",
    { recipient: { status: "revoked" }, usedToday: 100n * usdc },
    false,
    null
  ],
  ["the day's cap is used", { usedToday: 100n * usdc }, false, tomorrow],
  ["the month's cap is used", { usedBefore: 350n * usdc }, false, nextMonth],
  ["both are used", { usedToday: 100n * usdc, usedBefore: 300n * usdc }, false, nextMonth],
  ["it is above the cap of one transfer", { amountUsdc: "100.000001" }, false, null],
  [
    "it is above the hard cap alone",
    { limits: { hardCapMicro: 50n * usdc, perTransferMicro: 100n * usdc } },
    false,
    null
  ],
  [
    "it is above the cap of a transfer alone, and the day's is free tomorrow",
    { amountUsdc: "110.00", usedToday: 100n * usdc },
    false,
    null
  ],
  [
    "it is above the day's cap by itself",
    { amountUsdc: "60.00", limits: { dailyMicro: 59_999_999n } },
    false,
    null
  ],
  [
    "it is the day's cap to the unit, and some is used",
    { amountUsdc: "60.00", limits: { dailyMicro: 60n * usdc }, usedToday: 1n },
    false,
    tomorrow
  ],
  [
    "it is above the month's cap by itself",
    { limits: { monthlyMicro: 59_999_999n, dailyMicro: 100n * usdc } },
    false,
    null
  ]
]

it.effect.each(cases)("when %s", ([, given, allowed, earliestAt]) =>
  Effect.gen(function* () {
    const told = yield* simulated(given)
    assert.deepStrictEqual(told, { allowed, earliestAt, approvalsNeeded: [] })
  })
)
