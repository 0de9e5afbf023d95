/**
 * Spending limits as pure rules. A transfer is bounded alone, by UTC day and by UTC month over all of an
 * account's wallets; what is reserved counts from the instant of the confirmation, however late it ends.
 */
import { DateTime } from "effect"
import * as Usd from "../money/usd.ts"

export interface Limits {
  readonly perTransferMicro: Usd.Usd
  readonly dailyMicro: Usd.Usd
  readonly monthlyMicro: Usd.Usd
  /** Bounds one transfer above every tier. */
  readonly hardCapMicro: Usd.Usd
}

/** Limits as an account had them from a moment on; a change makes a new revision, none is ever changed. */
export interface Revision extends Limits {
  readonly accountId: string
  readonly number: number
  readonly tier: string
  readonly createdAt: DateTime.Utc
}

/** The windows an instant lies in, as sortable keys: `2026-11-21` and `2026-11`. */
export interface Windows {
  readonly day: string
  readonly month: string
}

export const windowsAt = (at: DateTime.Utc): Windows => {
  const day = DateTime.formatIso(at).slice(0, 10)
  return { day, month: day.slice(0, 7) }
}

/** The UTC days from one through another, oldest first. */
export const daysBetween = (from: string, through: string): ReadonlyArray<string> => {
  const days: Array<string> = []
  let at = DateTime.makeUnsafe(`${from}T00:00:00Z`)
  for (let day = from; day <= through; day = windowsAt(at).day) {
    days.push(day)
    at = DateTime.add(at, { days: 1 })
  }
  return days
}

/** How often an account may sell in a day what it may send, where nobody has set its cap on trades. */
const timesDailySends = 10n

/** The cap on the whole worth of what an account sells in a UTC day. */
export const dailyTradeOf = (dailyMicro: Usd.Usd, set: Usd.Usd | null): Usd.Usd =>
  set ?? Usd.make(dailyMicro * timesDailySends)

/** What a window has reserved or spent so far. */
export interface Used {
  readonly dayMicro: Usd.Usd
  readonly monthMicro: Usd.Usd
}

/** A payment that was charged though nobody had proposed it. */
export interface Charged {
  readonly chainId: string
  readonly identity: string
  readonly day: string
  readonly amountMicro: Usd.Usd
}

/** What windows have used beside a charge that lies in them. */
export const without = (
  used: Used,
  { day, month }: Windows,
  charged: Charged | undefined
): Used => {
  if (charged === undefined || !charged.day.startsWith(month)) return used
  const less = (all: Usd.Usd) => Usd.make(all - charged.amountMicro)
  return {
    dayMicro: charged.day === day ? less(used.dayMicro) : used.dayMicro,
    monthMicro: less(used.monthMicro)
  }
}

export type Rule = "per_transfer" | "daily" | "monthly" | "hard_cap" | "key_daily" | "daily_trade"

export interface Verdict {
  readonly rule: Rule
  readonly capMicro: Usd.Usd
  readonly usedMicro: Usd.Usd
  readonly passes: boolean
}

/** What is asked of the caps: it fits and is written down, or it is over one and nothing is. */
export type Reserved =
  | { readonly _tag: "reserved" }
  | { readonly _tag: "over"; readonly verdicts: ReadonlyArray<Verdict> }

export const reserved: Reserved = { _tag: "reserved" }

const reservedBy = (verdicts: ReadonlyArray<Verdict>): Reserved =>
  verdicts.every(({ passes }) => passes) ? reserved : { _tag: "over", verdicts }

/** Whether an account may reserve so much more than what its windows have used. */
export const judge = (limits: Limits, used: Used, amountMicro: Usd.Usd): Reserved =>
  reservedBy(evaluate(limits, used, amountMicro))

/** Whether so much more may be reserved under all of these keys, each with what its day has used. */
export const judgeKeys = (
  caps: ReadonlyArray<KeyCap & { readonly usedMicro: Usd.Usd }>,
  amountMicro: Usd.Usd
): Reserved => reservedBy(caps.map((cap) => evaluateKey(cap, cap.usedMicro, amountMicro)))

/** Whether an account may hold so much in all for something that holds so much of these windows already. */
export const judgeRaise = (
  limits: Limits,
  { dayMicro, monthMicro }: Used,
  heldMicro: Usd.Usd,
  amountMicro: Usd.Usd
): Reserved =>
  judge(
    limits,
    {
      dayMicro: Usd.make(dayMicro - heldMicro),
      monthMicro: Usd.make(monthMicro - heldMicro)
    },
    amountMicro
  )

/** Every rule with its verdict, in the order they are told. */
export const evaluate = (
  limits: Limits,
  used: Used,
  amountMicro: Usd.Usd
): ReadonlyArray<Verdict> => {
  const verdict = (rule: Rule, capMicro: Usd.Usd, usedMicro: Usd.Usd): Verdict => ({
    rule,
    capMicro,
    usedMicro,
    passes: usedMicro + amountMicro <= capMicro
  })
  return [
    verdict("hard_cap", limits.hardCapMicro, Usd.zero),
    verdict("per_transfer", limits.perTransferMicro, Usd.zero),
    verdict("daily", limits.dailyMicro, used.dayMicro),
    verdict("monthly", limits.monthlyMicro, used.monthMicro)
  ]
}

/** When the day's and the month's windows begin anew. */
export const resets = (at: DateTime.Utc) => ({
  day: DateTime.add(DateTime.startOf(at, "day"), { days: 1 }),
  month: DateTime.add(DateTime.startOf(at, "month"), { months: 1 })
})

/** The daily cap of a key: it bounds what the key sends in one UTC day, and what the keys it made send. */
export interface KeyCap {
  readonly keyId: string
  readonly capMicro: Usd.Usd
}

export const evaluateKey = (
  { capMicro }: KeyCap,
  usedMicro: Usd.Usd,
  amountMicro: Usd.Usd
): Verdict => ({
  rule: "key_daily",
  capMicro,
  usedMicro,
  passes: usedMicro + amountMicro <= capMicro
})
