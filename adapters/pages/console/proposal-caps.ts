/** What a payment would do to the caps of the account, by the policy's own trace of it. */
import { Effect } from "effect"
import * as Usd from "../../../core/money/usd.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import type { Calls } from "../../../core/treasury/treasury.ts"
import { separated } from "./parts/separated.ts"
import type { View } from "./proposal-words.ts"

export interface Rule {
  readonly name: string
  readonly passes: boolean
  readonly detail: string
  /** Of a cap of a day or a month: what is used, and what this adds, in hundredths of the cap. */
  readonly bar?: { readonly used: number; readonly added: number }
}

const names: Readonly<Record<string, string>> = {
  account_running: "The account is not paused",
  recipient_approved: "The recipient can be paid",
  hard_cap: "Hard cap per transfer",
  per_transfer: "Cap per transfer",
  daily: "Daily cap",
  monthly: "Monthly cap",
  daily_trade: "Daily cap of trades",
  key_wallets: "The key may use this wallet",
  key_recipients: "The key may pay this recipient",
  key_daily: "Daily cap of the key",
  refund_left: "Not more than came in"
}

/** They bound a transfer alone, so nothing of them is ever used. */
const ofOneTransfer: ReadonlySet<string> = new Set(["hard_cap", "per_transfer"])

const microOf = (usd: string): bigint => Usdc.parse(usd) ?? 0n

const shareOf = (micro: bigint, cap: bigint): number =>
  cap === 0n ? 100 : Math.min(100, Number((micro * 10_000n) / cap) / 100)

interface Traced {
  readonly rule: string
  readonly passes: boolean
  readonly capUsd: string | null
  readonly usedUsd: string | null
}

export const ruleOf = ({ capUsd, passes, rule, usedUsd }: Traced, amountMicro: bigint): Rule => {
  const name = names[rule] ?? rule.replaceAll("_", " ")
  if (capUsd === null) return { name, passes, detail: "" }
  if (ofOneTransfer.has(rule)) {
    return { name, passes, detail: `up to ${separated(capUsd)} USDC` }
  }
  const [used, cap] = [microOf(usedUsd ?? "0"), microOf(capUsd)]
  const after = Usd.format(Usd.make(used + amountMicro))
  return {
    name,
    passes,
    detail: `${separated(usedUsd ?? "0.00")} of ${separated(capUsd)} USDC used now, ${separated(after)} with this one`,
    bar: {
      used: shareOf(used, cap),
      added: Math.min(100 - shareOf(used, cap), shareOf(amountMicro, cap))
    }
  }
}

type Terms = Readonly<Record<string, unknown>>

const textOf = (terms: Terms, name: string): string | undefined => {
  const value = terms[name]
  return typeof value === "string" ? value : undefined
}

/** What a trade puts at risk counts against the caps as a payment does. */
const ofTrade = Effect.fnUntraced(function* (valueAtRiskUsd: string, calls: Calls) {
  const limits = yield* calls.get_policy_limits({})
  const passes = (headroomUsd: string) => microOf(headroomUsd) >= microOf(valueAtRiskUsd)
  return [
    {
      rule: "daily",
      passes: passes(limits.dailyRemainingUsd),
      capUsd: limits.dailySendCapUsd,
      usedUsd: limits.dailyUsedUsd
    },
    {
      rule: "monthly",
      passes: passes(limits.monthlyRemainingUsd),
      capUsd: limits.monthlySendCapUsd,
      usedUsd: limits.monthlyUsedUsd
    }
  ].map((rule) => ruleOf(rule, microOf(valueAtRiskUsd)))
})

/** What the policy says of a payment or a trade that has not begun; nothing of any other proposal. */
export const capsOf = Effect.fnUntraced(function* ({ status }: View, terms: Terms, calls: Calls) {
  if (status !== "pending_confirm" && status !== "requires_action") return []
  const atRisk = textOf(terms, "valueAtRiskUsd")
  if (atRisk !== undefined) return yield* ofTrade(atRisk, calls)
  const [recipientId, micro] = [textOf(terms, "recipientId"), textOf(terms, "amountSmallestUnit")]
  if (recipientId === undefined || micro === undefined) return []
  const amountMicro = BigInt(micro)
  const amountUsdc = Usdc.format(amountMicro)
  const { rules } = yield* calls.simulate_transfer({ recipientId, amountUsdc })
  return rules.map((rule) => ruleOf(rule, amountMicro))
})
