/**
 * What co-signers decide on: one approval for one proposal, bound to its intent, and the votes on it. A
 * vote counts while its voter is an active co-signer who shares neither account nor funding wallet with the
 * owner or another counted voter; it is counted anew every time.
 */

import { type DateTime, Schema } from "effect"
import type { FundingWallet } from "../chains/address.ts"
import * as Address from "../chains/address.ts"
import { define } from "../operation/refusal.ts"

export const Status = Schema.Literals(["pending", "approved", "rejected", "expired", "superseded"])
export type Status = typeof Status.Type

export interface Approval {
  readonly id: string
  /** Whose proposal it is. */
  readonly accountId: string
  readonly proposalId: string
  /** The recipient a co-signer may release from its cooldown; null for a movement of money. */
  readonly recipientId: string | null
  readonly status: Status
  /** Votes it takes: raised with the rules while it is open, never lowered. */
  readonly required: number
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc
}

export interface Vote {
  readonly approvalId: string
  readonly voterAccountId: string
  readonly keyId: string
  readonly isApproval: boolean
  /** The intent that was voted on. */
  readonly intentHash: string
  readonly at: DateTime.Utc
}

/** An account as the counting of votes sees it. */
export interface Voter {
  readonly accountId: string
  readonly fundingWallet: FundingWallet | null
}

/** By the address alone: whoever holds its key on one chain holds it on every other of its family. */
const walletOf = ({ fundingWallet }: Pick<Voter, "fundingWallet">): string | undefined =>
  fundingWallet === null ? undefined : Address.keyOf(fundingWallet.chainId, fundingWallet.address)

/** Whether one wallet paid for both. */
export const sharesWallet = (
  one: Pick<Voter, "fundingWallet">,
  other: Pick<Voter, "fundingWallet">
): boolean => {
  const wallet = walletOf(one)
  return wallet !== undefined && wallet === walletOf(other)
}

/** Those of the members who may count beside each other and beside the owner, in the order given. */
export const distinct = (owner: Voter, members: ReadonlyArray<Voter>): ReadonlyArray<Voter> => {
  const accounts = new Set([owner.accountId])
  const wallets = new Set([walletOf(owner)])
  return members.filter((member) => {
    const wallet = walletOf(member)
    const isNew = !accounts.has(member.accountId) && (wallet === undefined || !wallets.has(wallet))
    if (isNew) {
      accounts.add(member.accountId)
      wallets.add(wallet)
    }
    return isNew
  })
}

export interface Tally {
  readonly approvals: ReadonlyArray<string>
  readonly rejections: ReadonlyArray<string>
  readonly isApproved: boolean
  /** Whether those who have not rejected can no longer reach the quorum. */
  readonly isRejected: boolean
}

/** Counts the votes of one approval over the members active now. */
export const tally = (
  required: number,
  owner: Voter,
  members: ReadonlyArray<Voter>,
  votes: ReadonlyArray<Vote>
): Tally => {
  const saying = (isApproval: boolean) =>
    members.filter(({ accountId }) =>
      votes.some((vote) => vote.voterAccountId === accountId && vote.isApproval === isApproval)
    )
  const approvals = distinct(owner, saying(true))
  const rejections = saying(false)
  const open = members.filter((member) => !rejections.includes(member))
  const isApproved = approvals.length >= required
  return {
    approvals: approvals.map(({ accountId }) => accountId),
    rejections: rejections.map(({ accountId }) => accountId),
    isApproved,
    isRejected: !isApproved && rejections.length > 0 && distinct(owner, open).length < required
  }
}

export class SelfApprovalForbidden extends define("SELF_APPROVAL_FORBIDDEN", {
  kind: "forbidden",
  meaning: "The voting account is the owner, or has the same funding wallet as the owner."
}) {}
