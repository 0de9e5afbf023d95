/** Reads of payment requests and of provisioning jobs: one by its id, and the lists. */

import { Effect, Schema } from "effect"
import { Address } from "../chains/address.ts"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as AmountRange from "../operation/amount-range.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Customer from "../wallets/customer.ts"
import * as ProvisioningJob from "./provisioning-job.ts"
import { Provisioning } from "./provisioning-store.ts"
import { PaymentRequests } from "./request-store.ts"
import { Status } from "./status.ts"
import * as View from "./view.ts"

export const IdOrPid = Id("The request's `pid` (`pr_…`) or its `id`.")

/** The caller's request by id or pid; another account's is not found either. */
export const find = (idOrPid: string) =>
  findOwn(
    { param: "idOrPid", what: "payment request", operation: "list_payment_requests" },
    (accountId) => PaymentRequests.use(({ find }) => find(accountId, idOrPid))
  )

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
  summary:
    "Lists payment requests, newest first, optionally of one vault, status, customer or reference, of a time or an amount.",
  next: "get_payment_request reads one; cancel_payment_request and extend_payment_request change it.",
  scope: "payment_requests:read",
  key: "payment_requests",
  fields: View.fields,
  input: {
    walletMappingId: Schema.optionalKey(Id()),
    status: Schema.optionalKey(Status),
    externalReference: Schema.optionalKey(
      Text.Line(200).annotate({ description: "Your own reference, exactly as it was given." })
    ),
    ...Customer.filterFields,
    ...Page.times,
    ...AmountRange.fields
  },
  page: Effect.fnUntraced(function* ({ accountId, filter, request }) {
    const { externalReference, status } = filter
    const { list } = yield* PaymentRequests
    const wanted = {
      vaultId: filter.walletMappingId,
      status,
      externalReference,
      customer: yield* Customer.wantedCustomer(filter),
      ...(yield* AmountRange.read(filter))
    }
    return yield* list(accountId, wanted, yield* Page.during(request, filter))
  }),
  views: View.views
})

const Result = Schema.Struct({
  externalId: Schema.String,
  namespace: Schema.String,
  walletMappingId: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Address),
  chainId: Schema.String,
  status: Schema.Literals(["pending", "succeeded", "failed"]),
  error: Schema.NullOr(Schema.String)
})

const PageCursor = Schema.String.check(
  Schema.isPattern(/^\d{1,4}$/u, { expected: "the nextCursor of the previous page, unchanged" })
).annotate({
  description: "The `nextCursor` of the previous page."
})

/** Results stand in the order of the request, so their cursor is a place in it. */
const resultPage = Effect.fnUntraced(function* (
  job: ProvisioningJob.Job,
  input: { readonly limit?: number; readonly cursor?: string }
) {
  const from = Number(input.cursor ?? "0")
  const limit = input.limit ?? 20
  if (from > job.total) {
    return yield* new InvalidRequest({
      param: "cursor",
      message: "cursor is invalid; pass the nextCursor of the previous page unchanged."
    })
  }
  const items = yield* (yield* Provisioning).items(job.id, from, limit)
  const hasMore = from + items.length < job.total
  return { items, hasMore, nextCursor: hasMore ? String(from + items.length) : null }
})

/** Reads a provisioning job with its results, a page at a time in the order of the request. */
export const getProvisioningJob = Operation.make("get_provisioning_job", {
  summary: "Reads a provisioning job and, by pages, the vault of each customer.",
  next: "Once completed, create_checkout_session works for its customers.",
  scope: "payment_requests:read",
  input: {
    jobId: Id("The job's id."),
    limit: Page.input.limit,
    cursor: Schema.optionalKey(PageCursor)
  },
  output: {
    ...ProvisioningJob.fields,
    results: Schema.Array(Result),
    hasMore: Schema.Boolean,
    nextCursor: Schema.NullOr(Schema.String)
  },
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* (input) {
    const { accountId } = yield* Caller
    const job = yield* (yield* Provisioning).find(accountId, input.jobId)
    if (job === undefined) {
      return yield* new NotFound({
        param: "jobId",
        message: "This account has no provisioning job with this id.",
        next: { operation: "create_provisioning_job", args: {} }
      })
    }
    const { items, ...page } = yield* resultPage(job, input)
    const results = items.map((item) => ({
      ...item,
      walletMappingId: item.walletId,
      chainId: job.chainId
    }))
    return { ...ProvisioningJob.view(job), results, ...page }
  })
})
