/** What goes on by itself: claims, watching, expiring, chores, placing the audit log, and the operator's figures. */
import { DateTime, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ChainScript } from "../../adapters/memory/chains.ts"
import * as Figures from "../../adapters/postgres/figures.ts"
import { getAuditCheckpoint } from "../../core/audit/checkpoint.ts"
import { sequence } from "../../core/audit/sequence.ts"
import { maxRows } from "../../core/background/chore.ts"
import { familyOf, keyOf, transactionKeyOf } from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { expireDue } from "../../core/payments/expire.ts"
import { provision } from "../../core/payments/provision.ts"
import { watchOnce } from "../../core/payments/watch.ts"
import { sendDigests } from "../../core/people/tell-people.ts"
import { Chains, type Connected } from "../../core/ports/chains.ts"
import { Tasks } from "../../core/ports/tasks.ts"
import { expireProposals } from "../../core/proposals/cancel.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { choresAt } from "../../core/treasury/cleanup.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import { Deliveries } from "../../core/webhooks/delivery-store.ts"
import { inputs } from "../../test/support/valid-inputs.ts"
import type { Subject } from "./blocks.ts"
import type { Templates } from "./fill/templates.ts"

const leaseMs = 5000
const times = 5

/** So many rows are due where there is work. */
const due = 100

const claims = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const submissions = yield* SubmissionStore
  const waits = yield* WaitStore
  const tasks = yield* Tasks
  const sql = yield* SqlClient.SqlClient
  const bounds = { held: [], most: 50, part: 1, maxPerEndpoint: 4, maxWhileFailing: 1, leaseMs }
  const now = DateTime.now
  const counted = <R>(claim: Effect.Effect<ReadonlyArray<unknown>, never, R>) =>
    Effect.map(claim, ({ length }) => length)
  const deliver = counted(Effect.flatMap(now, (at) => deliveries.claim({ ...bounds, now: at })))
  const submit = counted(
    Effect.flatMap(now, (at) => submissions.claim({ now: at, leaseMs, most: due }))
  )
  const wait = counted(Effect.flatMap(now, (at) => waits.claim({ now: at, leaseMs, most: due })))
  // One of each endpoint that is in use and that nobody holds.
  const dueAtMany = sql`update delivery set status = 'pending', next_attempt_at = now() - interval '1 second'
    where id in (select one.id from webhook_endpoint endpoint
      join webhook_queue queue on queue.endpoint_id = endpoint.id and queue.lease is null
      cross join lateral (select id from delivery where endpoint_id = endpoint.id limit 1) one
      where endpoint.disabled_at is null and endpoint.removed_at is null limit ${due})`
  const take = tasks.take(() => Effect.void)
  return [
    {
      name: "claim of deliveries, each of the account's own due",
      work: deliver,
      per: "rows" as const,
      finds: 1
    },
    { name: "claim of deliveries, nothing due", work: deliver, times },
    {
      name: "when the next delivery is due",
      work: Effect.flatMap(now, (at) => deliveries.nextDue(at)),
      times
    },
    { name: "claim of submissions, some due", work: submit, finds: 1 },
    { name: "claim of submissions, nothing due", work: submit, times },
    {
      name: "when the next submission is due",
      work: Effect.flatMap(now, submissions.nextDue),
      times
    },
    { name: "claim of waits, some due", work: wait, finds: 1 },
    { name: "claim of waits, nothing due", work: wait, times },
    { name: "when the next wait is due", work: Effect.flatMap(now, waits.nextDue), times },
    { name: "a task (provisioning, mail, notices)", work: take, times },
    { name: "(makes deliveries due at a hundred endpoints)", work: dueAtMany },
    {
      name: "claim of 50 endpoints with work, each delivery",
      work: deliver,
      per: "rows" as const,
      finds: 50
    }
  ]
})

const sweeps = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { connected } = yield* Chains
  const now = yield* DateTime.now
  const cleanup = yield* choresAt(now)
  // As of a day on which nothing was old enough yet: taking a million rows first would take an hour.
  const atRest = yield* choresAt(DateTime.subtract(now, { days: 400 }))
  const cleared = Effect.andThen(
    sql`set statement_timeout = 0`,
    Effect.andThen(sql`vacuum`, sql`set statement_timeout = '15s'`)
  )
  // What is due at any time is done to its end.
  const finished = Effect.forEach(atRest, ({ batch }) =>
    Effect.repeat(batch(maxRows), { while: (rows) => rows >= maxRows })
  )
  const overdue = sql`update payment_request set expires_at = now() - interval '400 days' where id in
    (select id from payment_request where status = 'open' and chain_id = 'local' limit ${due})`
  const watching = connected.map((each) =>
    familyOf(each.chain.id).tellsByAddress
      ? {
          // As many vaults as there are of everything, of which each look is at some.
          name: `watching ${each.chain.id}, one look of a round`,
          work: watchOnce(each),
          times
        }
      : { name: `watching ${each.chain.id}, nothing new`, work: watchOnce(each), times }
  )
  return [
    // The judge of what is overdue is the newest final block that was read.
    ...watching,
    { name: "expiring payment requests, nothing due", work: expireDue, times },
    { name: "(makes requests due)", work: overdue },
    {
      name: "expiring payment requests, each of a hundred due",
      work: expireDue,
      per: "rows" as const,
      finds: due
    },
    { name: "expiring proposals, nothing due", work: expireProposals, times },
    { name: "sending digests", work: sendDigests(maxRows), times },
    ...cleanup.map(({ batch, name }) => ({
      name: `chore: ${name}, each row that it takes`,
      work: batch(maxRows),
      per: "rows" as const
    })),
    // What the chores wrote is cleared away, as it is by itself elsewhere.
    { name: "(clears away)", work: Effect.andThen(finished, cleared) },
    ...atRest.map(({ batch, name }) => ({
      name: `chore: ${name}, nothing to do`,
      work: batch(maxRows),
      times
    }))
  ]
})

const paid = Effect.fnUntraced(function* (own: Templates, connected: Connected) {
  const script = yield* ChainScript
  const wallets = yield* Wallets
  const vault = yield* wallets.find(own.caller.accountId, own.vaultId)
  const pay = script.pay({ to: vault?.address ?? "", amountMicro: 5_000_000n })
  return {
    name: "watching local, a block with a payment",
    work: Effect.andThen(pay, watchOnce(connected))
  }
})

/** So many are done at once: customers of one job, and transfers in one block. */
const many = 1000

const provisioned = ({ caller }: Templates) => {
  const customers = Array.from({ length: many }, (_, at) => ({ externalId: `provisioned-${at}` }))
  return {
    name: `provisioning ${many} vaults, each`,
    work: Effect.gen(function* () {
      const { jobId } = yield* callsOf(caller).create_provisioning_job({
        chainId: "local",
        customers
      })
      yield* provision(jobId)
      const { succeeded } = yield* callsOf(caller).get_provisioning_job({ jobId })
      return succeeded
    }),
    per: "rows" as const,
    finds: many
  }
}

/** A block full of transfers among strangers, of whom no record tells. */
const foreign = Effect.fnUntraced(function* (connected: Connected) {
  const chains = yield* Chains
  const script = yield* ChainScript
  const address = (at: number) => keyOf("local", `0x${at.toString(16).padStart(40, "7")}`)
  const look: typeof chains.look = (chainId, from) =>
    Effect.map(chains.look(chainId, from), (update) => {
      const block = update.blocks.at(-1)
      if (block === undefined) return update
      const transfers = Array.from({ length: many }, (_, at) => ({
        txHash: transactionKeyOf("local", `0x${at.toString(16).padStart(64, "7")}`),
        logIndex: at,
        from: address(at),
        to: address(many + at),
        amountMicro: Usdc.make(1_000_000n),
        block
      }))
      return { ...update, transfers: [...update.transfers, ...transfers] }
    })
  const watching = Effect.provideService(watchOnce(connected), Chains, { ...chains, look })
  return {
    name: `watching local, a block with ${many} transfers of strangers`,
    before: script.mine(1),
    work: watching,
    times
  }
})

export const subjects = Effect.fnUntraced(function* (own: Templates) {
  const { accountId } = own.caller
  const { connected } = yield* Chains
  const [local] = connected
  const calls = callsOf(own.caller)
  const payment = local === undefined ? [] : [yield* paid(own, local), yield* foreign(local)]
  const audited = Effect.andThen(
    calls.create_payment_request(inputs.create_payment_request(own) as never),
    sequence(accountId)
  )
  return [
    ...(yield* sweeps),
    ...payment,
    provisioned(own),
    ...(yield* claims),
    { name: "create_payment_request and the place of its audit entry", work: audited, times },
    {
      name: `${getAuditCheckpoint.name}, after a change`,
      work: Effect.andThen(audited, calls.get_audit_checkpoint({})),
      times
    },
    { name: "/metrics", work: Figures.measure([]), times }
  ] as unknown as ReadonlyArray<Subject<never>>
})
