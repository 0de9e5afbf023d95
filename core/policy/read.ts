/** Reads the spending limits of the account, what their windows have used, and what each day has. */
import { DateTime, Effect, Schema } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import * as Usd from "../money/usd.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Timestamp from "../time/timestamp.ts"
import { dailyTradeOf, daysBetween, resets, windowsAt } from "./limits.ts"
import { tierAt } from "./plan.ts"
import { PolicySettings } from "./policy-settings.ts"
import { revisionOf } from "./revision.ts"
import { Spending } from "./spending-ledger.ts"

const remaining = (capMicro: Usd.Usd, usedMicro: Usd.Usd) =>
  Usd.sub(capMicro, Usd.min(capMicro, usedMicro))

export const getPolicyLimits = Operation.make("get_policy_limits", {
  summary:
    "Reads the spending limits: per transfer, UTC day and UTC month, with what is left of each.",
  next: "simulate_transfer says whether a transfer is allowed, and why not.",
  scope: "account:read",
  input: {},
  output: {
    perTransferCapUsd: Usd.Decimal,
    dailySendCapUsd: Usd.Decimal,
    dailyUsedUsd: Usd.Decimal,
    dailyRemainingUsd: Usd.Decimal,
    dailyResetsAt: Timestamp.Encoded,
    monthlySendCapUsd: Usd.Decimal,
    monthlyUsedUsd: Usd.Decimal,
    monthlyRemainingUsd: Usd.Decimal,
    monthlyResetsAt: Timestamp.Encoded,
    v0HardCapUsd: Usd.Decimal,
    dailyTradeCapUsd: Usd.Decimal.annotate({
      description: "How much may be sold by swaps and bridges in a UTC day, whole."
    }),
    policyRevision: Schema.Int,
    tier: Schema.optionalKey(Schema.String).annotate({
      description:
        "Of an agent's account: the plan that applies now; `personal` once its own plan has ended."
    }),
    billingPlan: Schema.optionalKey(Schema.String).annotate({
      description: "Of an agent's account: its current or last plan."
    }),
    billingPlanName: Schema.optionalKey(Schema.String),
    maxWallets: Schema.optionalKey(Schema.Int).annotate({
      description: "Maximum number of wallets, without customers' vaults."
    }),
    subscriptionExpiresAt: Schema.optionalKey(Schema.NullOr(Timestamp.Encoded)).annotate({
      description: "When its plan ends; null if it has no end."
    })
  },
  handle: Effect.fnUntraced(function* () {
    const { accountId, kind } = yield* Caller
    const now = yield* DateTime.now
    const limits = yield* revisionOf(accountId)
    const used = yield* (yield* Spending).used(accountId, windowsAt(now))
    const next = resets(now)
    const { dailyTradeMicro, plans } = yield* PolicySettings
    const account = yield* (yield* Accounts).find(accountId)
    return {
      perTransferCapUsd: limits.perTransferMicro,
      dailySendCapUsd: limits.dailyMicro,
      dailyUsedUsd: used.dayMicro,
      dailyRemainingUsd: remaining(limits.dailyMicro, used.dayMicro),
      dailyResetsAt: next.day,
      monthlySendCapUsd: limits.monthlyMicro,
      monthlyUsedUsd: used.monthMicro,
      monthlyRemainingUsd: remaining(limits.monthlyMicro, used.monthMicro),
      monthlyResetsAt: next.month,
      v0HardCapUsd: limits.hardCapMicro,
      dailyTradeCapUsd: dailyTradeOf(limits.dailyMicro, dailyTradeMicro),
      policyRevision: limits.number,
      ...(kind === "agent" && account !== undefined
        ? {
            tier: limits.tier,
            billingPlan: account.tier,
            billingPlanName: plans[account.tier].name,
            maxWallets: plans[tierAt(account, now)].maxWallets,
            subscriptionExpiresAt: account.subscriptionExpiresAt
          }
        : {})
    }
  })
})

const defaultDays = 30
const maxDays = 90

export const getSpending = Operation.make("get_spending", {
  summary: "Reads what was spent or is reserved of the daily cap, for each of the last UTC days.",
  next: "get_policy_limits shows what is left today; list_proposals shows the sends.",
  scope: "account:read",
  input: {
    days: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxDays })).annotate({
        description: "How many days, today included.",
        default: defaultDays
      })
    )
  },
  output: {
    dailySendCapUsd: Usd.Decimal,
    days: Schema.Array(
      Schema.Struct({
        day: Schema.String.annotate({ description: "A UTC day: `2026-11-21`." }),
        usedUsd: Usd.Decimal
      })
    ).annotate({ description: "Every day of them, oldest first." })
  },
  handle: Effect.fnUntraced(function* ({ days = defaultDays }) {
    const { accountId } = yield* Caller
    const now = yield* DateTime.now
    const through = windowsAt(now).day
    const from = windowsAt(DateTime.subtract(now, { days: days - 1 })).day
    const { dailyMicro } = yield* revisionOf(accountId)
    const used = yield* (yield* Spending).usedByDay(accountId, from, through)
    const byDay = new Map(used.map(({ day, usedMicro }) => [day, usedMicro]))
    return {
      dailySendCapUsd: dailyMicro,
      days: daysBetween(from, through).map((day) => ({
        day,
        usedUsd: byDay.get(day) ?? Usd.zero
      }))
    }
  })
})
