/** A provisioning job: vaults for up to a thousand customers, made after the call was answered. */
import { type DateTime, Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Instant from "../time/timestamp.ts"
import { Provisioning } from "./provisioning-store.ts"

export const JobStatus = Schema.Literals([
  "queued",
  "running",
  "completed",
  "completed_with_errors",
  "failed"
])

export interface Job {
  readonly id: string
  readonly accountId: string
  readonly chainId: string
  readonly status: typeof JobStatus.Type
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  readonly createdAt: DateTime.Utc
}

/** One customer of a job, at its place in the request; `walletId` and `address` once it is done. */
export interface Item {
  readonly position: number
  readonly externalId: string
  readonly namespace: string
  readonly metadata: Readonly<Record<string, string>>
  readonly status: "pending" | "succeeded" | "failed"
  readonly walletId: string | null
  readonly address: string | null
  readonly error: string | null
}

export const fields = {
  jobId: Schema.String,
  status: JobStatus,
  total: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  createdAt: Instant.Shown
}

export const view = ({ id, ...job }: Job) => ({ ...job, jobId: id })

const Result = Schema.Struct({
  externalId: Schema.String,
  namespace: Schema.String,
  walletMappingId: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  chainId: Schema.String,
  status: Schema.Literals(["pending", "succeeded", "failed"]),
  error: Schema.NullOr(Schema.String)
})

const PageCursor = Schema.String.check(Schema.isPattern(/^\d{1,4}$/u)).annotate({
  description: "The `nextCursor` of the page before."
})

/** Results stand in the order of the request, so their cursor is a place in it. */
const resultPage = Effect.fnUntraced(function* (
  job: Job,
  input: { readonly limit?: number; readonly cursor?: string }
) {
  const from = Number(input.cursor ?? "0")
  const limit = input.limit ?? 20
  if (from > job.total) {
    return yield* new InvalidRequest({
      param: "cursor",
      message: "Pass the nextCursor of the page before, unchanged."
    })
  }
  const items = yield* (yield* Provisioning).items(job.id, from, limit)
  const hasMore = from + items.length < job.total
  return { items, hasMore, nextCursor: hasMore ? String(from + items.length) : null }
})

export const getProvisioningJob = Operation.make("get_provisioning_job", {
  summary: "Reads a provisioning job with the vault of each customer, a page at a time.",
  next: "Once completed, create_checkout_session works for its customers.",
  scope: "payment_requests:read",
  input: {
    jobId: Text.Line(64).annotate({ description: "The job's id." }),
    limit: Page.input.limit,
    cursor: Schema.optionalKey(PageCursor)
  },
  output: {
    ...fields,
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
        message: "No provisioning job of this account has this id.",
        next: { operation: "create_provisioning_job", args: {} }
      })
    }
    const { items, ...page } = yield* resultPage(job, input)
    const results = items.map((item) => ({
      ...item,
      walletMappingId: item.walletId,
      chainId: job.chainId
    }))
    return { ...view(job), results, ...page }
  })
})
