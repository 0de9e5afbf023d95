/** Plants a row together with the parents it stands on, through the books themselves. */
import { Effect } from "effect"
import type { Account } from "../../core/accounts/account.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import { Accounts } from "../../core/ports/accounts.ts"
import { Events } from "../../core/ports/events.ts"
import { PaymentRequests } from "../../core/ports/payment-requests.ts"
import { Proposals } from "../../core/ports/proposals.ts"
import { Recipients } from "../../core/ports/recipients.ts"
import { Wallets } from "../../core/ports/wallets.ts"
import { WebhookEndpoints } from "../../core/ports/webhook-endpoints.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import type { Recipient } from "../../core/recipients/recipient.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import type { Event } from "../../core/webhooks/event.ts"
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
  over: Partial<PaymentRequest> = {}
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
  yield* (yield* Events).append(row)
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
