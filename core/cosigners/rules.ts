/**
 * Co-signer rules: for each action, bands of the amount axis and how many votes an amount in them takes.
 * Below the lowest band nothing is asked; above it there is no gap, and the highest band has no end.
 */
import { type DateTime, Schema } from "effect"
import * as Usd from "../money/usd.ts"
import * as Timestamp from "../time/timestamp.ts"

export const RuledAction = Schema.Literals(["send", "swap", "bridge"])

export type RuledAction = typeof RuledAction.Type

/** Votes one amount may be made to take; more than anybody will ever be asked for. */
export const maxApprovals = 20
/** Rules one account may have. */
export const maxRules = 30

const Required = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: maxApprovals }))

export const Rule = Schema.Struct({
  action: RuledAction,
  minAmountMicro: Usd.Micro.annotate({
    description: "Lower limit of the band, inclusive."
  }),
  maxAmountMicro: Schema.NullOr(Usd.Micro).annotate({
    description: "Upper limit of the band, exclusive; null for the highest band of an action."
  }),
  requiredApprovals: Required.annotate({ description: "Number of co-signers that must approve." })
})

export type Rule = typeof Rule.Type

/** As JSON has it. */
export const encodeRule = (rule: Rule) => ({
  ...rule,
  minAmountMicro: String(rule.minAmountMicro),
  maxAmountMicro: rule.maxAmountMicro === null ? null : String(rule.maxAmountMicro)
})

/** One line for whoever signs them: from which amount on how many votes are taken. */
export const summaryOf = (rules: ReadonlyArray<Rule>): string =>
  rules
    .map(
      ({ action, minAmountMicro, requiredApprovals }) =>
        `${action} from ${Usd.format(minAmountMicro)} USD needs ${requiredApprovals}`
    )
    .join(", ") || "no action needs a co-signer"

/** The rules an account had from a moment on; none is ever changed. */
export interface Revision {
  readonly accountId: string
  readonly number: number
  readonly rules: ReadonlyArray<Rule>
  readonly createdAt: DateTime.Utc
}

const actions: ReadonlyArray<RuledAction> = RuledAction.literals

/** The bands of one action, lowest first. */
const bandsOf = (rules: ReadonlyArray<Rule>, action: RuledAction): ReadonlyArray<Rule> =>
  rules
    .filter((rule) => rule.action === action)
    .sort((one, other) => (one.minAmountMicro < other.minAmountMicro ? -1 : 1))

const violationOf = (bands: ReadonlyArray<Rule>): string | undefined => {
  for (const [at, band] of bands.entries()) {
    const next = bands[at + 1]
    const end = band.maxAmountMicro
    if (end !== null && end <= band.minAmountMicro)
      return "the upper limit of a band is not above its lower limit"
    if (next === undefined) return end === null ? undefined : "the highest band must have no end"
    if (end === null || end > next.minAmountMicro) return "two bands overlap"
    if (end < next.minAmountMicro) return "there is a gap between two bands"
  }
  return undefined
}

/** Why a set of rules is none, if it is not (contract, Co-signers and governance). */
export const violation = (rules: ReadonlyArray<Rule>): string | undefined => {
  for (const action of actions) {
    const found = violationOf(bandsOf(rules, action))
    if (found !== undefined) return `For ${action}, ${found}`
  }
  return undefined
}

/** How many votes an amount takes; none below every band. */
export const requiredFor = (
  rules: ReadonlyArray<Rule>,
  action: RuledAction,
  amountMicro: Usd.Usd
): number =>
  rules.find(
    (rule) =>
      rule.action === action &&
      rule.minAmountMicro <= amountMicro &&
      (rule.maxAmountMicro === null || amountMicro < rule.maxAmountMicro)
  )?.requiredApprovals ?? 0

/** Whether the requirement falls at any amount of any action: only then did the rules get weaker. */
export const isWeaker = (before: ReadonlyArray<Rule>, after: ReadonlyArray<Rule>): boolean =>
  actions.some((action) => {
    // The requirement changes only where a band begins: each ends where the next begins, and the last never.
    const edges = [...before, ...after].map(({ minAmountMicro }) => minAmountMicro)
    return [Usd.zero, ...edges].some(
      (amountMicro) =>
        requiredFor(after, action, amountMicro) < requiredFor(before, action, amountMicro)
    )
  })

/** The most votes any amount takes. */
export const maxRequired = (rules: ReadonlyArray<Rule>): number =>
  rules.reduce((most, { requiredApprovals }) => Math.max(most, requiredApprovals), 0)

export const fields = {
  rules: Schema.Array(Rule),
  rulesRevision: Schema.Int,
  updatedAt: Schema.NullOr(Timestamp.Encoded)
}

export const view = (revision: Revision | undefined) => ({
  rules: revision?.rules ?? [],
  rulesRevision: revision?.number ?? 0,
  updatedAt: revision?.createdAt ?? null
})
