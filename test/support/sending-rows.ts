/**
 * Builders of valid rows for the records of sending: recipients, limits, proposals and executions. As with
 * all rows, ids are fresh each time and parents are named first.
 */
import { randomInt } from "node:crypto"
import { type Limits, type Revision, windowsAt } from "../../core/policy/limits.ts"
import type { Reservation } from "../../core/policy/spending-ledger.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import type { Authorization, Carrier, Execution } from "../../core/submissions/execution.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import * as Rows from "./rows.ts"

/** In its cooldown until a day after it was added. */
export const aRecipient = (accountId: string, over: Partial<Recipient> = {}): Recipient => ({
  id: Rows.anId(),
  accountId,
  label: "Landlord",
  address: Rows.anAddress(),
  chainId: "base",
  status: "pending",
  cooldownEndsAt: Rows.at(86_400),
  isOwn: false,
  createdAt: Rows.at(0),
  ...over
})

export const limits = (over: Partial<Limits> = {}): Limits => ({
  perTransferMicro: 1_000_000_000n,
  dailyMicro: 2_500_000_000n,
  monthlyMicro: 25_000_000_000n,
  hardCapMicro: 100_000_000_000n,
  ...over
})

export const aRevision = (accountId: string, over: Partial<Revision> = {}): Revision => ({
  ...limits(),
  accountId,
  number: 1,
  tier: "startup",
  createdAt: Rows.at(0),
  ...over
})

/** A send of 10 USDC that waits for its confirmation for a day. */
export const aProposal = (accountId: string, over: Partial<Proposal> = {}): Proposal => ({
  id: Rows.anId(),
  accountId,
  kind: "send",
  status: "pending_confirm",
  subStatus: null,
  statusReason: null,
  terms: { amount: "10", chainId: "base" },
  intentHash: Rows.aDigest(),
  policyRevision: 1,
  summary: "Send 10 USDC to Landlord on Base",
  recipientId: null,
  proposedBy: Rows.anId(),
  call: null,
  confirmedBy: null,
  txHashes: [],
  createdAt: Rows.at(0),
  updatedAt: Rows.at(0),
  confirmedAt: null,
  takesPasskey: false,
  signedBy: null,
  expiresAt: Rows.at(86_400),
  ...over
})

/** A reservation of one unit in the windows of its instant. */
export const aReservation = (
  { accountId, id }: Pick<Proposal, "accountId" | "id">,
  over: Partial<Reservation> = {}
): Reservation => {
  const at = over.at ?? Rows.at(0)
  return { proposalId: id, accountId, amountMicro: 1n, windows: windowsAt(at), at, ...over }
}

/** Queued and due from the start, on a chain of its own. */
export const anExecution = (
  proposal: Pick<Proposal, "accountId" | "id">,
  wallet: Wallet,
  over: Partial<Execution> = {}
): Execution => ({
  proposalId: proposal.id,
  accountId: proposal.accountId,
  walletId: wallet.id,
  key: wallet.key,
  chainId: wallet.chainId,
  act: "transfer",
  from: wallet.address,
  to: Rows.anAddress(),
  amountMicro: 10_000_000n,
  step: "queued",
  authorization: null,
  relayer: null,
  relayerNonce: null,
  carriers: [],
  nextLookAt: Rows.at(0),
  createdAt: Rows.at(0),
  updatedAt: Rows.at(0),
  ...over
})

export const anAuthorization = (execution: Execution): Authorization => ({
  act: execution.act,
  chainId: execution.chainId,
  token: Rows.anAddress(),
  from: execution.from,
  to: execution.to,
  amountMicro: execution.amountMicro,
  nonce: Rows.aTxHash(),
  validBefore: 1_893_460_000,
  signature: `0x${Rows.aDigest()}${Rows.aDigest()}1b`
})

export const aCarrier = (over: Partial<Carrier> = {}): Carrier => ({
  txHash: Rows.aTxHash(),
  raw: `0x02${Rows.aDigest()}`,
  maxFeePerGas: 1_500_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  gas: 187_500n,
  at: Rows.at(1),
  ...over
})

export const someRelayer = `0x${"4e".repeat(20)}`

/** The execution as it stands once its transaction is signed under a relayer nonce. */
export const wrapped = (execution: Execution, over: Partial<Execution> = {}): Execution => ({
  ...execution,
  step: "wrapped",
  authorization: anAuthorization(execution),
  relayer: someRelayer,
  relayerNonce: randomInt(1_000_000, 2_000_000_000),
  carriers: [aCarrier()],
  updatedAt: Rows.at(1),
  ...over
})

export const settled = (execution: Execution): Execution => ({
  ...execution,
  step: "settled",
  nextLookAt: null,
  updatedAt: Rows.at(2)
})
