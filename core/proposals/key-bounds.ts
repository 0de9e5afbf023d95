/**
 * Holds what moves money to the caveats of the keys behind it: the one that proposed it and the one that
 * confirmed it, each with the keys whose caps it shares. A revoked key still binds what it has proposed;
 * whoever acts without a key is bound by none.
 */
import { DateTime, Effect } from "effect"
import { Keys } from "../accounts/account-store.ts"
import type { Caveats } from "../accounts/caveats.ts"
import { capped } from "../accounts/in-force.ts"
import type { Key } from "../accounts/key.ts"
import type { Usd } from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import { InsufficientScope } from "../operation/refusal.ts"
import { evaluateKey, type KeyCap, type Verdict, windowsAt } from "../policy/limits.ts"
import { type Paying, Spending } from "../policy/spending-ledger.ts"
import { ofProposal } from "../submissions/identity.ts"
import { Identity } from "../timeline/identity.ts"
import type { Spent } from "./kind.ts"
import { PolicyLimitExceeded, type Proposal, RecipientNotApproved } from "./proposal.ts"

const isBound = ({ walletIds, recipientIds, dailyCapMicro }: Caveats) =>
  walletIds !== null || recipientIds !== null || dailyCapMicro !== null

/** The keys of these ids that have caveats on money. */
const bound = Effect.fnUntraced(function* (
  accountId: string,
  keyIds: ReadonlyArray<string | null>
) {
  const keys = yield* Keys
  const found: Array<Key> = []
  for (const id of new Set(keyIds)) {
    const key = id === null ? undefined : yield* keys.find(accountId, id)
    if (key !== undefined && isBound(key)) found.push(key)
  }
  return found
})

const capsOf = Effect.fnUntraced(function* (keys: ReadonlyArray<Key>) {
  const caps = new Map<string, KeyCap>()
  for (const { dailyCapMicro, id } of (yield* Effect.forEach(keys, capped)).flat()) {
    if (dailyCapMicro !== null) caps.set(id, { keyId: id, capMicro: dailyCapMicro })
  }
  return [...caps.values()]
})

/** Each cap these keys share, with what the day of this instant has used of it. */
export const verdictsFor = Effect.fnUntraced(function* (
  keys: ReadonlyArray<Key>,
  amountMicro: Usd,
  pays?: Paying
) {
  const payment = pays && { ...pays, amountMicro }
  const spending = yield* Spending
  const { day } = windowsAt(yield* DateTime.now)
  return yield* Effect.forEach(yield* capsOf(keys), (cap) =>
    Effect.map(spending.usedByKey(cap.keyId, day, payment), (used) =>
      evaluateKey(cap, used, amountMicro)
    )
  )
})

const room = ({ capMicro, usedMicro }: Verdict) => capMicro - usedMicro

/** The cap that leaves least room, and the first of those that leave as much. */
export const tightest = (verdicts: ReadonlyArray<Verdict>): Verdict | undefined =>
  verdicts.reduce<Verdict | undefined>(
    (least, each) => (least === undefined || room(each) < room(least) ? each : least),
    undefined
  )

const outside = (param: string, message: string) => new InsufficientScope({ param, message })

/** What of the caveats that never change stands against it. */
const strayFrom = ({ recipientIds, walletIds }: Caveats, spent: Spent | undefined) => {
  if (spent === undefined) {
    return outside(
      "proposalId",
      "This key's restrictions do not allow this kind of payment; use another key."
    )
  }
  if (walletIds !== null && !walletIds.includes(spent.walletId)) {
    return outside(
      "fromWalletId",
      "This key's restrictions do not include that wallet; use an allowed one."
    )
  }
  if (recipientIds === null) return undefined
  if (spent.recipientId !== null && recipientIds.includes(spent.recipientId)) return undefined
  return new RecipientNotApproved({
    param: "recipientId",
    message: "This key's restrictions do not include that recipient; use another key.",
    details: { recipientId: spent.recipientId }
  })
}

type Behind = Pick<Proposal, "accountId" | "proposedBy" | "confirmedBy">

/** What the payment is known by on its chain, by the call that proposed it. */
const payingOf = Effect.fnUntraced(function* (
  proposal: Pick<Proposal, "id" | "accountId" | "call">,
  { pays }: Spent
) {
  return pays && { ...pays, identity: (yield* Identity).derive(ofProposal(proposal)) }
})

/** Refuses early what the reservation would refuse later. `spent` is undefined for kinds that say nothing. */
export const checkKeys = Effect.fnUntraced(function* (
  { accountId, call, confirmedBy, id, proposedBy }: Behind & Pick<Proposal, "id" | "call">,
  spent: Spent | undefined
) {
  const keys = yield* bound(accountId, [proposedBy, confirmedBy])
  for (const key of keys) {
    const stray = strayFrom(key, spent)
    if (stray !== undefined) return yield* stray
  }
  if (spent === undefined || !spent.isCapped || keys.length === 0) return
  const pays = yield* payingOf({ id, accountId, call }, spent)
  const verdicts = yield* verdictsFor(keys, spent.amountMicro, pays)
  const broken = verdicts.filter(({ passes }) => !passes)
  if (broken.length > 0) return yield* overLimits(broken)
})

/** The caps of the keys behind a proposal, each once. */
export const keyCapsOf = Effect.fnUntraced(function* ({
  accountId,
  confirmedBy,
  proposedBy
}: Behind) {
  return yield* capsOf(yield* bound(accountId, [proposedBy, confirmedBy]))
})

/** Judges anew, in the transaction that starts it, and says under which caps it is to be reserved. */
export const boundsOf = Effect.fnUntraced(function* (proposal: Proposal, spent: Spent | undefined) {
  yield* checkKeys(proposal, spent)
  return spent === undefined || !spent.isCapped ? [] : yield* keyCapsOf(proposal)
})

/** Reserves under these caps, in the transaction that starts it. */
export const reserveForKeys = Effect.fnUntraced(function* (
  { accountId, id }: Proposal,
  spent: Spent | undefined,
  caps: ReadonlyArray<KeyCap>
) {
  if (spent === undefined || caps.length === 0) return
  const at = yield* DateTime.now
  const { amountMicro } = spent
  const reservation = { proposalId: id, accountId, amountMicro, windows: windowsAt(at), at }
  const reserved = yield* (yield* Spending).reserveForKeys(reservation, caps)
  if (reserved._tag === "over") return yield* overLimits(reserved.verdicts)
})

const names = {
  hard_cap: "the hard cap per transfer",
  per_transfer: "the cap per transfer",
  daily: "the daily cap",
  monthly: "the monthly cap",
  key_daily: "the API key's daily cap",
  daily_trade: "the daily cap on trades"
}

export const verdictView = (verdict: Verdict) => ({
  rule: verdict.rule,
  capUsd: Usdc.format(verdict.capMicro),
  usedUsd: Usdc.format(verdict.usedMicro),
  headroomUsd: Usdc.format(
    verdict.usedMicro >= verdict.capMicro ? 0n : verdict.capMicro - verdict.usedMicro
  ),
  passes: verdict.passes
})

export const overLimits = (verdicts: ReadonlyArray<Verdict>, param = "amountUsdc") => {
  const broken = verdicts.filter((verdict) => !verdict.passes).map(verdictView)
  const first = broken[0]
  const rule = first === undefined ? "a limit" : names[first.rule]
  return new PolicyLimitExceeded({
    param,
    message:
      param === "amountUsdc"
        ? `This exceeds ${rule}; at most ${first?.headroomUsd ?? "0.00"} USDC can be sent now.`
        : `This trade exceeds ${rule}, of which ${first?.headroomUsd ?? "0.00"} USD are left now; trade less, or with less slippage.`,
    details: { verdicts: verdicts.map(verdictView) },
    next: { operation: "get_policy_limits", args: {} }
  })
}
