/** What anybody with the link may know of a payment request: who asks, how much, where to, and how it stands. */
import { Effect } from "effect"
import * as Chain from "../chains/chain.ts"
import { Accounts } from "../ports/accounts.ts"
import { PaymentRequests } from "../ports/payment-requests.ts"
import type * as RefundShare from "./refund-share.ts"
import * as View from "./view.ts"

export interface PublicRequest extends Omit<View.View, keyof typeof RefundShare.fields> {
  readonly merchant: string
  readonly chainName: string
  readonly successUrl: string | null
  readonly cancelUrl: string | null
}

const pidForm = /^pr_[0-9A-Za-z]{22}$/u

/** The request behind a link, or undefined; a malformed pid never reaches the database. */
export const publicRequest = Effect.fnUntraced(function* (pid: string) {
  if (!pidForm.test(pid)) return undefined
  const request = yield* (yield* PaymentRequests).findPublic(pid)
  if (request === undefined) return undefined
  const account = yield* (yield* Accounts).find(request.accountId)
  // What went back to whom is the merchant's to say.
  const { refunds: _, refundedSmallestUnit: __, ...view } = yield* View.view(request)
  const shown: PublicRequest = {
    ...view,
    merchant: account?.name ?? "",
    chainName: Chain.find(request.chainId)?.name ?? request.chainId,
    successUrl: request.successUrl,
    cancelUrl: request.cancelUrl
  }
  return shown
})
