/** Reads of payment requests: one by either of its ids, and the list by vault and status. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { NotFound } from "../operation/refusal.ts"
import { PaymentRequests } from "./request-store.ts"
import { Status } from "./status.ts"
import * as View from "./view.ts"

export const IdOrPid = Text.Line(64).annotate({
  description: "The request's `pid` (`pr_…`) or its `id`."
})

/** The caller's request by id or pid; another account's is not found either. */
export const find = Effect.fnUntraced(function* (idOrPid: string) {
  const { accountId } = yield* Caller
  const request = yield* (yield* PaymentRequests).find(accountId, idOrPid)
  if (request === undefined) {
    return yield* new NotFound({
      param: "idOrPid",
      message: "This account has no payment request with this id; see list_payment_requests.",
      next: { operation: "list_payment_requests", args: {} }
    })
  }
  return request
})

export const getPaymentRequest = Operation.make("get_payment_request", {
  summary:
    "Reads a payment request: its status, received and missing amount, and every settlement attempt.",
  next: "Poll it while it is processing, or register a webhook with create_merchant_webhook.",
  scope: "payment_requests:read",
  input: { idOrPid: IdOrPid },
  output: View.fields,
  refusals: [NotFound],
  example: { input: { idOrPid: "pr_4fzQx0aB7cDeFgHiJkLmNo" } },
  handle: ({ idOrPid }) => Effect.flatMap(find(idOrPid), View.view)
})

export const listPaymentRequests = Page.list("list_payment_requests", {
  summary: "Lists payment requests, newest first, optionally of one vault or status.",
  next: "get_payment_request reads one; cancel_payment_request and extend_payment_request change it.",
  scope: "payment_requests:read",
  key: "payment_requests",
  fields: View.fields,
  input: {
    walletMappingId: Schema.optionalKey(Text.Line(64)),
    status: Schema.optionalKey(Status)
  },
  page: ({ accountId, filter: { walletMappingId, ...filter }, request }) => {
    const ofVault = walletMappingId === undefined ? {} : { vaultId: walletMappingId }
    return PaymentRequests.use(({ list }) => list(accountId, { ...filter, ...ofVault }, request))
  },
  views: View.views
})
