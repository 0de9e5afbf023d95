/**
 * Builders of valid rows for the records of governing: invites, memberships, rules, approvals, votes and
 * governance requests. As with all rows, ids are fresh each time and parents are named first.
 */
import type { Approval, Vote } from "../../core/cosigners/approval.ts"
import type { Invite, Membership } from "../../core/cosigners/invite.ts"
import type { Revision, Rule } from "../../core/cosigners/rules.ts"
import type { GovernanceRequest } from "../../core/governance/request.ts"
import * as Usd from "../../core/money/usd.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import type { Plain } from "./plain.ts"
import * as Rows from "./rows.ts"

const weekSeconds = 7 * 86_400

/** Open for seven days. */
export const anInvite = (
  ownerAccountId: string,
  cosignerAccountId: string,
  over: Partial<Invite> = {}
): Invite => ({
  id: Rows.anId(),
  ownerAccountId,
  cosignerAccountId,
  nickname: "Partner",
  status: "pending",
  createdAt: Rows.at(0),
  expiresAt: Rows.at(weekSeconds),
  ...over
})

/** What comes of accepting an invite. */
export const aMembership = (invite: Invite, over: Partial<Membership> = {}): Membership => ({
  id: Rows.anId(),
  ownerAccountId: invite.ownerAccountId,
  cosignerAccountId: invite.cosignerAccountId,
  nickname: invite.nickname,
  inviteId: invite.id,
  createdAt: Rows.at(1),
  removedAt: null,
  ...over
})

/** One vote from 100 USDC on. */
export const aRule = (over: Plain<Partial<Rule>> = {}): Rule => ({
  action: "send",
  minAmountMicro: Usd.make(100_000_000n),
  maxAmountMicro: null,
  requiredApprovals: 1,
  ...(over as Partial<Rule>)
})

export const aRevision = (accountId: string, over: Partial<Revision> = {}): Revision => ({
  accountId,
  number: 1,
  rules: [aRule()],
  createdAt: Rows.at(0),
  ...over
})

/** Takes one vote within seven days. */
export const anApproval = (
  { accountId, id }: Pick<Proposal, "accountId" | "id">,
  over: Partial<Approval> = {}
): Approval => ({
  id: Rows.anId(),
  accountId,
  proposalId: id,
  recipientId: null,
  status: "pending",
  required: 1,
  createdAt: Rows.at(0),
  expiresAt: Rows.at(weekSeconds),
  ...over
})

export const aVote = (
  { id }: Pick<Approval, "id">,
  voterAccountId: string,
  over: Partial<Vote> = {}
): Vote => ({
  approvalId: id,
  voterAccountId,
  keyId: Rows.anId(),
  isApproval: true,
  intentHash: Rows.aDigest(),
  at: Rows.at(1),
  ...over
})

/** Asks for a co-signer and waits seven days for a passkey. */
export const aGovernanceRequest = (
  accountId: string,
  over: Partial<GovernanceRequest> = {}
): GovernanceRequest => ({
  id: Rows.anId(),
  accountId,
  action: "invite_cosigner",
  payload: { cosignerUserId: Rows.anId(), nickname: null },
  payloadHash: Rows.aDigest(),
  summary: "Invite an account to co-sign",
  requestedBy: Rows.anId(),
  status: "pending",
  createdAt: Rows.at(0),
  expiresAt: Rows.at(weekSeconds),
  ...over
})
