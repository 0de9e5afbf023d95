/**
 * Asks as one question what the rules of a call about a proposal ask one by one. It judges nothing: the rules ask again
 * and are answered by what the transaction knows. Locks come in the order in which everybody takes them.
 */
import { Effect } from "effect"
import { Accounts, Keys } from "../accounts/account-store.ts"
import { Cosigners } from "../cosigners/cosigner-store.ts"
import { Caller } from "../operation/caller.ts"
import { Spending } from "../policy/spending-ledger.ts"
import { askAhead } from "../ports/together.ts"
import { UsdcImplementations } from "../tokens/usdc-implementation-store.ts"
import { type AnyKind, kindOf, type Registry } from "./kind.ts"
import type { Proposal } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import { countWaiting } from "./propose.ts"
import { termsOf } from "./terms.ts"

/** What all kinds together ask of their surroundings to ask ahead. */
type Needs = {
  readonly [Name in keyof Registry]: Registry[Name] extends {
    readonly ahead?: (proposal: Proposal, terms: never) => Effect.Effect<void, never, infer Needs>
  }
    ? Needs
    : never
}[keyof Registry]

interface Foresees {
  readonly ahead?: (proposal: Proposal, terms: never) => Effect.Effect<void, never, Needs>
}

const ofKind = Effect.fnUntraced(function* (proposal: Proposal) {
  const { ahead }: Foresees = yield* kindOf(proposal)
  if (ahead !== undefined) yield* ahead(proposal, yield* termsOf(proposal))
})

const implementationsOf = Effect.fnUntraced(function* (proposal: Proposal) {
  const { chains }: AnyKind = yield* kindOf(proposal)
  const { find } = yield* UsdcImplementations
  const chainIds = new Set(chains?.(yield* termsOf(proposal)) ?? [])
  yield* askAhead([...chainIds].map((chainId) => find(chainId)))
})

/** What confirming asks: of the caller, of the proposal, and of what it does. */
export const ofConfirming = Effect.fnUntraced(function* (proposal: Proposal) {
  const { accountId, keyId } = yield* Caller
  const [accounts, cosigners, keys, proposals, spending] = [
    yield* Accounts,
    yield* Cosigners,
    yield* Keys,
    yield* Proposals,
    yield* Spending
  ]
  yield* askAhead([
    keys.hold(accountId, keyId),
    cosigners.lockShared(accountId),
    proposals.lock(proposal.id),
    ofKind(proposal),
    cosigners.rules(accountId),
    proposals.find(accountId, proposal.id),
    accounts.find(accountId),
    keys.find(accountId, keyId),
    keys.find(accountId, proposal.proposedBy),
    spending.revision(accountId),
    implementationsOf(proposal)
  ])
})

/** What proposing asks of the caller, beside `own` for what is proposed. */
export const ofProposing = Effect.fnUntraced(function* <R>(own: Effect.Effect<void, never, R>) {
  const { accountId, keyId } = yield* Caller
  const [accounts, keys, spending] = [yield* Accounts, yield* Keys, yield* Spending]
  yield* askAhead([
    own,
    accounts.find(accountId),
    keys.find(accountId, keyId),
    spending.revision(accountId),
    countWaiting(accountId)
  ])
})
