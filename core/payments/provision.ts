/**
 * Provisions vaults in bulk: the call queues the job, a worker makes the vaults in small transactions.
 * A customer has one vault a chain; asking again finds it, and a crash resumes where the rows stand.
 */
import { DateTime, Effect, Schema } from "effect"
import { record, system } from "../audit/record.ts"
import * as Chain from "../chains/chain.ts"
import * as Text from "../encoding/text.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { Tasks } from "../ports/tasks.ts"
import { connectedChain, createWallet } from "../wallets/create.ts"
import { customerFields, defaultNamespace } from "../wallets/customer.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as ProvisioningJob from "./provisioning-job.ts"
import { Provisioning } from "./provisioning-store.ts"

/** Vaults made in one transaction: small enough that others are never kept waiting. */
const batch = 50

/** 1000 customers with ids and namespaces of the greatest length fit, every character escaped. */
const maxBodyBytes = 1280 * 1024

export const createProvisioningJob = Operation.make("create_provisioning_job", {
  summary: "Creates a collection vault for each of 1 to 1000 customers, in the background.",
  next: "Poll get_provisioning_job until it is completed, then create_checkout_session.",
  scope: "payment_requests:write",
  sideEffect: "write",
  maxBodyBytes,
  authority: byScope,
  input: {
    chainId: Chain.ChainId,
    customers: Schema.Array(
      Schema.Struct({ ...customerFields, metadata: Schema.optionalKey(Text.Tags) })
    ).check(Schema.isBetweenLength(1, 1000))
  },
  output: ProvisioningJob.fields,
  refusals: [UnsupportedChain],
  example: { input: { chainId: "local", customers: [{ externalId: "user_42" }] } },
  handle: Effect.fnUntraced(function* ({ chainId, customers }) {
    const { accountId, keyId } = yield* Caller
    const { chain } = yield* connectedChain(chainId)
    const job: ProvisioningJob.Job = {
      id: yield* (yield* Ids).uuid,
      accountId,
      chainId: chain.id,
      status: "queued",
      total: customers.length,
      succeeded: 0,
      failed: 0,
      createdAt: yield* DateTime.now
    }
    const items = customers.map((customer, position) => ({
      position,
      externalId: customer.externalId,
      namespace: customer.namespace ?? defaultNamespace,
      metadata: customer.metadata ?? {},
      status: "pending" as const,
      walletId: null,
      address: null,
      error: null
    }))
    yield* (yield* Provisioning).queue(job, items)
    yield* (yield* Tasks).offer({ kind: "provision_vaults", row: job.id })
    yield* (yield* Atomically).afterCommit((yield* Notifier).signal("tasks"))
    yield* record({
      accountId,
      actor: keyId,
      action: "provisioning_job.created",
      subjectType: "provisioning_job",
      subjectId: job.id,
      facts: { customers: String(job.total), chainId: chain.id }
    })
    return ProvisioningJob.view(job)
  })
})

/** The customer's new vault, or the one another job made for them meanwhile. */
const newVault = (job: ProvisioningJob.Job, item: ProvisioningJob.Item) =>
  createWallet(
    {
      accountId: job.accountId,
      name: item.externalId,
      chainId: job.chainId,
      isDefault: false,
      metadata: item.metadata,
      kind: "collection" as const,
      customer: { externalId: item.externalId, namespace: item.namespace }
    },
    system
  )

const provisionItem = Effect.fnUntraced(function* (
  job: ProvisioningJob.Job,
  item: ProvisioningJob.Item
) {
  const wallets = yield* Wallets
  const existing = yield* wallets.vaultOf(job.accountId, item, job.chainId)
  const vault = existing ?? (yield* newVault(job, item))
  return { ...item, status: "succeeded" as const, walletId: vault.id, address: vault.address }
})

/** One transaction of a job; false once nothing is left. */
const provisionBatch = Effect.fnUntraced(function* (jobId: string) {
  const provisioning = yield* Provisioning
  const job = yield* provisioning.lock(jobId)
  if (job === undefined || job.status.startsWith("completed")) return false
  const pending = yield* provisioning.pending(jobId, batch)
  const done = yield* Effect.forEach(pending, (item) => provisionItem(job, item))
  const succeeded = job.succeeded + done.length
  const status = succeeded + job.failed < job.total ? "running" : "completed"
  yield* provisioning.progress({ ...job, succeeded, status }, done)
  return status === "running"
})

/** Does a provisioning task to its end. */
export const provision = Effect.fnUntraced(function* (jobId: string) {
  const atomically = yield* Atomically
  while (yield* atomically.run(provisionBatch(jobId))) yield* Effect.yieldNow
})
