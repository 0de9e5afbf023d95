/**
 * Builders of valid rows for the records of sending: recipients, limits, proposals and submissions. As with
 * all rows, ids are fresh each time and parents are named first.
 */
import { randomInt } from "node:crypto"
import { type AddressKey, keyOf } from "../../core/chains/address.ts"
import type { TokenAmount } from "../../core/chains/token-amount.ts"
import type { Attempt, Authorization } from "../../core/evm/journal.ts"
import * as Journal from "../../core/evm/journal.ts"
import * as Usd from "../../core/money/usd.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { type Limits, type Revision, windowsAt } from "../../core/policy/limits.ts"
import type { Reservation } from "../../core/policy/spending-ledger.ts"
import { outcomeAt, type Proposal } from "../../core/proposals/proposal.ts"
import { keyOf as stepKeyOf } from "../../core/proposals/step.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import { newSubmission, type Submission, type Terms } from "../../core/submissions/submission.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import * as Value from "./chain-values.ts"
import type { Plain } from "./plain.ts"
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
  requiredMemo: null,
  createdAt: Rows.at(0),
  ...over
})

export const limits = (over: Plain<Partial<Limits>> = {}): Limits => ({
  perTransferMicro: Usd.make(1_000_000_000n),
  dailyMicro: Usd.make(2_500_000_000n),
  monthlyMicro: Usd.make(25_000_000_000n),
  hardCapMicro: Usd.make(100_000_000_000n),
  ...(over as Partial<Limits>)
})

export const aRevision = (accountId: string, over: Plain<Partial<Revision>> = {}): Revision => ({
  ...limits(),
  accountId,
  number: 1,
  tier: "startup",
  createdAt: Rows.at(0),
  ...(over as Partial<Revision>)
})

/** A send of 10 USDC that waits for its confirmation for a day. */
export const aProposal = (accountId: string, over: Partial<Proposal> = {}): Proposal => ({
  id: Rows.anId(),
  accountId,
  kind: "send",
  status: "pending_confirm",
  statusReason: null,
  terms: { amount: "10", chainId: "base" },
  intentHash: Rows.aDigest(),
  policyRevision: 1,
  summary: "Send 10 USDC to Landlord on Base",
  amountMicro: Usd.make(10_000_000n),
  recipientId: null,
  proposedBy: Rows.anId(),
  call: null,
  recovered: false,
  result: null,
  stopAskedAt: null,
  confirmedBy: null,
  txHashes: [],
  createdAt: Rows.at(0),
  updatedAt: Rows.at(0),
  confirmedAt: null,
  takesPasskey: false,
  signedBy: null,
  expiresAt: Rows.at(86_400),
  ...over,
  outcome: over.outcome ?? outcomeAt(over.status ?? "pending_confirm")
})

/** A reservation of one unit in the windows of its instant. */
export const aReservation = (
  { accountId, id }: Pick<Proposal, "accountId" | "id">,
  over: Plain<Partial<Reservation>> = {}
): Reservation => {
  const at = over.at ?? Rows.at(0)
  const amountMicro = Usd.make(over.amountMicro ?? 1n)
  return { proposalId: id, accountId, windows: windowsAt(at), at, ...over, amountMicro }
}

/** So many units of some token. */
export const anAmount = (chainId: string, units: bigint): TokenAmount => ({
  token: { chainId, address: Rows.anAddressKey() },
  units
})

/** A send, nothing done for it yet and due from the start. */
export const aSubmission = (
  proposal: Pick<Proposal, "accountId" | "id">,
  wallet: Wallet,
  terms: Partial<Terms> = {},
  over: Partial<Submission> = {}
): Submission => ({
  ...newSubmission(
    {
      id: Rows.anId(),
      key: stepKeyOf(proposal.id),
      purpose: { name: "send", accountId: proposal.accountId, proposalId: proposal.id },
      chainId: wallet.chainId,
      terms: {
        act: "transfer",
        from: keyOf(wallet.chainId, wallet.address),
        to: Rows.anAddressKey(),
        amount: anAmount(wallet.chainId, 10_000_000n),
        identity: Rows.aDigest(),
        wallet: { id: wallet.id, key: wallet.key },
        call: null,
        signed: null,
        ...terms
      }
    },
    Rows.at(0)
  ),
  ...over
})

export const anAuthorization = ({ chainId, terms }: Submission): Authorization => ({
  act: terms.act === "permit" ? "permit" : "transfer",
  chainId,
  token: terms.amount.token.address as AddressKey,
  from: terms.from,
  to: terms.to,
  amountMicro: Usdc.make(terms.amount.units),
  nonce: Rows.aTxHash(),
  validBefore: 1_893_460_000,
  signature: `0x${Rows.aDigest()}${Rows.aDigest()}1b`
})

export const anAttempt = (over: Partial<Attempt> = {}): Attempt => ({
  txHash: Rows.aTxHash(),
  raw: `0x02${Rows.aDigest()}`,
  maxFeePerGas: 1_500_000_000n,
  maxPriorityFeePerGas: 1_000_000n,
  gas: 187_500n,
  at: Rows.at(1),
  ...over
})

export const someRelayer = Value.key(`0x${"4e".repeat(20)}`)

/** As it stands once its transaction is signed under a relayer nonce. */
export const submitted = (
  submission: Submission,
  over: Partial<Submission & Journal.Journal> = {}
): Submission => {
  const { attempts = [anAttempt()], authorization = anAuthorization(submission), ...rest } = over
  return {
    ...Journal.write(submission, { authorization, attempts }),
    status: "submitted",
    relayer: someRelayer,
    relayerSequence: randomInt(1_000_000, 2_000_000_000),
    updatedAt: Rows.at(1),
    ...rest
  }
}

/** Failed, and looked at no more. */
export const ended = (submission: Submission): Submission => ({
  ...submission,
  status: "failed",
  reason: "The wallet has an insufficient balance of USDC.",
  nextLookAt: null,
  updatedAt: Rows.at(2)
})
