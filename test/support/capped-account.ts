/** An account whose proposals lie on both sides of a tier's caps, and what became of them. */
import { Effect } from "effect"
import type { Account } from "../../core/accounts/account.ts"
import type { Proposal, Status } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

const from = {
  fromWalletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
  fromAddress: `0x${"aa".repeat(20)}`,
  chainId: "local"
}

const payment = (amountUsdc: number, recipientId: string) => ({
  ...from,
  recipientId,
  toAddress: `0x${"bb".repeat(20)}`,
  amountSmallestUnit: `${amountUsdc}000000`
})

const send = (
  amountUsdc: number,
  over: Partial<Proposal> & { readonly recipientId: string }
): Partial<Proposal> => ({
  kind: "send",
  terms: { ...payment(amountUsdc, over.recipientId), memo: null },
  ...over
})

const refund = (amountUsdc: number, recipientId: string): Partial<Proposal> => ({
  kind: "refund",
  terms: {
    ...payment(amountUsdc, recipientId),
    depositId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b4e",
    paymentRequestId: null,
    isToPayer: true
  },
  recipientId
})

const allowance = (amountUsdc: number): Partial<Proposal> => ({
  kind: "token_approve",
  terms: {
    ...from,
    tokenAddress: `0x${"cc".repeat(20)}`,
    flow: "intent_swap",
    spender: `0x${"dd".repeat(20)}`,
    symbol: "USDC",
    decimals: 6,
    amountSmallestUnit: `${amountUsdc}000000`,
    worthMicroUsd: `${amountUsdc}000000`,
    approvedBy: "permit",
    byWayOfZero: false
  }
})

/** Sends of an account in the tier startup: most of them above what personal lets one transfer move. */
const plantedIn = Effect.fnUntraced(function* (account: Partial<Account>) {
  const { id: accountId } = yield* Stored.account({ tier: "startup", ...account })
  const payee = yield* Stored.recipient(accountId, { status: "approved" })
  const own = yield* Stored.recipient(accountId, { status: "approved", isOwn: true })
  const recipientId = payee.id
  const rows: Readonly<Record<string, Partial<Proposal>>> = {
    atTheCap: send(1000, { recipientId }),
    above: send(1001, { recipientId, createdAt: Rows.at(2) }),
    aboveAndConfirmed: send(9000, { recipientId, status: "requires_action" }),
    toOwnWallet: send(9000, { recipientId: own.id }),
    executing: send(9000, { recipientId, status: "executing" }),
    completed: send(9000, { recipientId, status: "completed" }),
    refundAbove: refund(1001, recipientId),
    allowance: allowance(9000),
    allowanceAboveAll: allowance(100_001),
    renaming: { kind: "rename_account", terms: { walletId: from.fromWalletId, nickname: "Till" } }
  }
  const ids = yield* Effect.forEach(Object.entries(rows), ([name, row]) =>
    Effect.map(Stored.proposal({ ...row, accountId }), ({ id }) => [name, id] as const)
  )
  return { accountId, ids: Object.fromEntries(ids) }
})

export const planted = plantedIn({})
/** The same of an agent's. */
export const plantedForAgent = plantedIn({ kind: "agent" })

export const statuses = Effect.fnUntraced(function* (
  accountId: string,
  ids: Readonly<Record<string, string>>
) {
  const proposals = yield* Proposals
  const found = yield* Effect.forEach(Object.entries(ids), ([name, id]) =>
    Effect.map(proposals.find(accountId, id), (proposal) => [name, proposal?.status] as const)
  )
  return Object.fromEntries(found)
})

/** What personal's cap of 1000 USDC for one transfer leaves of them. */
export const afterTightening: Readonly<Record<string, Status>> = {
  atTheCap: "pending_confirm",
  above: "superseded",
  aboveAndConfirmed: "superseded",
  toOwnWallet: "pending_confirm",
  executing: "executing",
  completed: "completed",
  refundAbove: "superseded",
  allowance: "pending_confirm",
  allowanceAboveAll: "superseded",
  renaming: "pending_confirm"
}
