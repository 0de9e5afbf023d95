/** Plants a row together with the parents it stands on, through the records themselves. */
import { Effect } from "effect"
import type { Account } from "../../core/accounts/account.ts"
import { Accounts } from "../../core/accounts/account-store.ts"
import type { Approval } from "../../core/cosigners/approval.ts"
import { Approvals, Cosigners } from "../../core/cosigners/cosigner-store.ts"
import type { Membership } from "../../core/cosigners/invite.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import { Events } from "../../core/webhooks/delivery-store.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import type { Event } from "../../core/webhooks/event.ts"
import * as GovernanceRows from "./governance-rows.ts"
import type { Plain } from "./plain.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"

export const account = Effect.fnUntraced(function* (over: Partial<Account> = {}) {
  const row = Rows.anAccount(over)
  yield* (yield* Accounts).open(row)
  return row
})

/** A customer's vault, on a new account unless one is named. */
export const vault = Effect.fnUntraced(function* (over: Partial<Wallet> = {}) {
  const accountId = over.accountId ?? (yield* account()).id
  const row = Rows.aVault(accountId, over)
  yield* (yield* Wallets).add(row)
  return row
})

export const paymentRequest = Effect.fnUntraced(function* (
  onVault: Wallet,
  over: Plain<Partial<PaymentRequest>> = {}
) {
  const row = Rows.aPaymentRequest(onVault, over)
  yield* (yield* PaymentRequests).open(row)
  return row
})

export const endpoint = Effect.fnUntraced(function* (
  accountId: string,
  over: Partial<Endpoint> = {}
) {
  const row = Rows.anEndpoint(accountId, over)
  yield* (yield* WebhookEndpoints).register(row)
  return row
})

export const event = Effect.fnUntraced(function* (accountId: string, over: Partial<Event> = {}) {
  const row = Rows.anEvent(accountId, over)
  yield* (yield* Events).append([row])
  return row
})

/** A wallet of the account's own. */
export const wallet = Effect.fnUntraced(function* (accountId: string, over: Partial<Wallet> = {}) {
  const row = Rows.aWallet(accountId, over)
  yield* (yield* Wallets).add(row)
  return row
})

export const recipient = Effect.fnUntraced(function* (
  accountId: string,
  over: Partial<Recipient> = {}
) {
  const row = SendingRows.aRecipient(accountId, over)
  yield* (yield* Recipients).add(row)
  return row
})

/** A proposal, on a new account unless one is named. */
export const proposal = Effect.fnUntraced(function* (over: Partial<Proposal> = {}) {
  const accountId = over.accountId ?? (yield* account()).id
  const row = SendingRows.aProposal(accountId, over)
  yield* (yield* Proposals).propose(row)
  return row
})

/** An account that co-signs for an owner, by an invite that was accepted. */
export const member = Effect.fnUntraced(function* (
  ownerAccountId: string,
  over: Partial<Membership> = {}
) {
  const cosigners = yield* Cosigners
  const cosignerAccountId = over.cosignerAccountId ?? (yield* account()).id
  const invite = GovernanceRows.anInvite(ownerAccountId, cosignerAccountId)
  yield* cosigners.invite(invite)
  yield* cosigners.answerInvite({ ...invite, status: "accepted" })
  const row = GovernanceRows.aMembership(invite, over)
  yield* cosigners.join(row)
  return row
})

/** The approval of a proposal of its own, on a new account unless one is named. */
/** Terms of a recipient that waits for its cooldown. */
const addingTerms = () => ({
  label: "Exchange",
  address: Rows.anAddress(),
  chainId: "local",
  own: false,
  challengeId: null,
  requiredMemo: "30271844"
})

export const approval = Effect.fnUntraced(function* (over: Partial<Approval> = {}) {
  const isOfRecipient = over.recipientId !== undefined && over.recipientId !== null
  const planted = yield* proposal({
    ...(over.accountId === undefined ? {} : { accountId: over.accountId }),
    ...(isOfRecipient ? { kind: "add_recipient", terms: addingTerms() } : {})
  })
  const row = GovernanceRows.anApproval(planted, over)
  yield* (yield* Approvals).open(row)
  return row
})
