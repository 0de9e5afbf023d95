/** Does what a proposal says, in the transaction that satisfied the last thing it waited for. */
import { DateTime, Effect } from "effect"
import { requireRunning } from "../accounts/pause.ts"
import { requireSending } from "../timeline/sending.ts"
import { requireUnstopped } from "../tokens/usdc-stop.ts"
import { boundsOf, reserveForKeys } from "./key-bounds.ts"
import { type AnyKind, type Done, kindOf, type Registry, type Spent } from "./kind.ts"
import { move } from "./move.ts"
import type { Proposal } from "./proposal.ts"
import { goOn } from "./run-step.ts"
import { termsOf } from "./terms.ts"

/** What all kinds together ask of their surroundings to say what they spend. */
type SpendingNeeds = {
  readonly [Name in keyof Registry]: Registry[Name] extends {
    readonly spends?: (accountId: string, terms: never) => Effect.Effect<Spent, never, infer Needs>
  }
    ? Needs
    : never
}[keyof Registry]

interface Spends {
  readonly spends?: (accountId: string, terms: never) => Effect.Effect<Spent, never, SpendingNeeds>
}

/** What the caveats of keys are held against; undefined when its kind says nothing of it. */
export const spentBy = Effect.fnUntraced(function* (proposal: Proposal) {
  const { spends }: Spends = yield* kindOf(proposal)
  return spends === undefined
    ? undefined
    : yield* spends(proposal.accountId, yield* termsOf(proposal))
})

/** Refuses what wallets may not sign now, whatever it is for. */
export const requireSigning = Effect.fnUntraced(function* (proposal: Proposal) {
  const { chains }: AnyKind = yield* kindOf(proposal)
  const on = chains?.(yield* termsOf(proposal)) ?? []
  yield* requireSending(on)
  yield* requireUnstopped(on)
})

/** Does it, as its kind says, in the running transaction; a kind of several steps begins with the first. */
export const execute = (proposal: Proposal, actor: string) =>
  Effect.map(begin(proposal, actor), ({ executed }) => executed)

/** The same, and what it has opened on a chain as far as its kind tells. */
export const begin = Effect.fnUntraced(function* (proposal: Proposal, actor: string) {
  const kind = yield* kindOf(proposal)
  if (kind.movesMoney) {
    yield* requireRunning(proposal.accountId)
    yield* requireSigning(proposal)
  }
  // Before anything is written, while what was read is known.
  const spent = kind.movesMoney ? yield* spentBy(proposal) : undefined
  const caps = kind.movesMoney ? yield* boundsOf(proposal, spent) : []
  const confirmedAt = proposal.confirmedAt ?? (yield* DateTime.now)
  const { begun: opened, ...done }: Done = yield* kind.perform(proposal, yield* termsOf(proposal))
  const { next }: AnyKind = kind
  const begun = next === undefined ? done : { ...done, ...(yield* goOn(proposal)) }
  // After the kind's own locks, so that all take the account's last.
  yield* reserveForKeys(proposal, spent, caps)
  return { executed: yield* move(proposal, { ...begun, confirmedAt }, actor), opened }
})
