/** Whom a decision of an account is counted over: its owner, and the co-signers active at this moment. */
import { Effect } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { type Approval, distinct, tally, type Voter } from "./approval.ts"
import { Approvals, Cosigners } from "./cosigner-store.ts"
import { maxMembers } from "./invite.ts"

export interface CosignerGroup {
  readonly owner: Voter
  readonly members: ReadonlyArray<Voter>
}

const voterOf = Effect.fnUntraced(function* (accountId: string) {
  const account = yield* (yield* Accounts).find(accountId)
  return { accountId, fundingWallet: account?.fundingWallet ?? null } satisfies Voter
})

export const cosignersOf = Effect.fnUntraced(function* (ownerAccountId: string) {
  const { rows } = yield* (yield* Cosigners).members(ownerAccountId, { limit: maxMembers })
  return {
    owner: yield* voterOf(ownerAccountId),
    // Oldest first, so that of two who share a wallet the same one counts every time.
    members: yield* Effect.forEach([...rows].reverse(), ({ cosignerAccountId }) =>
      voterOf(cosignerAccountId)
    )
  } satisfies CosignerGroup
})

/** How many votes could be reached at most. */
export const sizeOf = ({ owner, members }: CosignerGroup): number => distinct(owner, members).length

/** The votes of an approval, counted now. */
export const count = Effect.fnUntraced(function* (approval: Approval, group?: CosignerGroup) {
  const { owner, members } = group ?? (yield* cosignersOf(approval.accountId))
  return tally(approval.required, owner, members, yield* (yield* Approvals).votes(approval.id))
})
