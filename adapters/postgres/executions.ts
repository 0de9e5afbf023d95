/**
 * The store of executions on SQL, which is its own queue. A claim skips rows that another is claiming, and
 * every write is guarded by the lease it is done under.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Execution } from "../../core/submissions/execution.ts"
import { type Claimed, Executions } from "../../core/submissions/execution-store.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as ExecutionRow from "./execution-row.ts"
import * as Leases from "./leases.ts"

interface ClaimedRow extends ExecutionRow.Row {
  readonly lease: string
}

const readClaimed = (row: ClaimedRow): Claimed => ({
  execution: ExecutionRow.read(row),
  lease: row.lease
})

const inserting = (sql: SqlClient.SqlClient, execution: Execution) => sql`
  insert into execution (proposal_id, account_id, wallet_id, key_backend, key_ref, chain_id, act,
    from_address, to_address, amount_micro, step, "authorization", relayer, relayer_nonce, carriers,
    next_look_at, created_at, updated_at)
  values (${execution.proposalId}, ${execution.accountId}, ${execution.walletId},
    ${execution.key.backend}, ${execution.key.ref}, ${execution.chainId}, ${execution.act}, ${execution.from}, ${execution.to},
    ${execution.amountMicro}, ${execution.step},
    ${ExecutionRow.authorization(execution.authorization)}, ${execution.relayer},
    ${execution.relayerNonce}, ${ExecutionRow.carriers(execution.carriers)}, ${Column.dateOrNull(execution.nextLookAt)},
    ${Column.date(execution.createdAt)}, ${Column.date(execution.updatedAt)})`

/** What a step writes down; what is to be paid, and to whom, no statement names again. */
const writing = (
  sql: SqlClient.SqlClient,
  lease: string,
  execution: Execution,
  ending: Fragment = sql``
) => sql`
  update execution set step = ${execution.step},
    "authorization" = ${ExecutionRow.authorization(execution.authorization)},
    relayer = ${execution.relayer}, relayer_nonce = ${execution.relayerNonce},
    carriers = ${ExecutionRow.carriers(execution.carriers)},
    next_look_at = ${Column.dateOrNull(execution.nextLookAt)},
    updated_at = ${Column.date(execution.updatedAt)}
    ${ending}
  where proposal_id = ${execution.proposalId} and lease = ${lease}
  returning proposal_id`

export const layer = Layer.effect(
  Executions,
  Effect.map(Effect.all([SqlClient.SqlClient, Leases.LeaseClock]), ([sql, clock]) => ({
    queue: (execution) => Answer.done(inserting(sql, execution)),

    claim: ({ leaseMs, most, now }) =>
      Answer.all(
        sql<ClaimedRow>`
          with due as (
            select proposal_id from execution
            where step <> 'settled' and next_look_at <= ${Column.date(now)}
              and (lease is null or lease_ends_at <= ${clock(sql, now)})
            order by next_look_at, proposal_id limit ${most}
            for no key update skip locked
          ),
          claimed as (
            update execution set lease = gen_random_uuid(),
              lease_ends_at = ${Leases.endOf(sql, clock(sql, now), leaseMs)}
            from due where execution.proposal_id = due.proposal_id
            returning execution.*
          )
          select * from claimed order by next_look_at, proposal_id`,
        readClaimed
      ),

    renew: Leases.renewing(sql, clock, { table: "execution", key: "proposal_id" }),

    note: (lease, execution) => Answer.any(writing(sql, lease, execution)),

    conclude: (lease, execution) =>
      Answer.any(writing(sql, lease, execution, sql`, lease = null, lease_ends_at = null`)),

    find: (proposalId) =>
      Answer.first(
        sql<ExecutionRow.Row>`select * from execution where proposal_id = ${proposalId}`,
        ExecutionRow.read
      ),

    // A leased one is free when its lease has ended and it is due, whichever comes last.
    nextDue: (now) =>
      Answer.first(
        sql<{
          free_at: Date
        }>`select greatest(next_look_at, ${Leases.endForCaller(sql, clock, now)}) as free_at
        from execution where step <> 'settled'
        order by greatest(next_look_at, lease_ends_at) limit 1`,
        ({ free_at }) => Column.instant(free_at)
      ),

    // The row stays locked until the transaction ends, and with it what it gave is undone.
    takeRelayerNonce: (chainId, relayer, chainCount) =>
      Answer.only(
        sql<{ taken: bigint }>`
          insert into relayer_nonce as known (chain_id, relayer, next)
          values (${chainId}, ${relayer}, ${chainCount}::bigint + 1)
          on conflict (chain_id, relayer) do update
            set next = greatest(known.next, excluded.next - 1) + 1
          returning next - 1 as taken`,
        ({ taken }) => Number(taken)
      ),

    holdsNonce: (chainId, relayer, first, before) =>
      Answer.any(sql`
        select proposal_id from execution
        where chain_id = ${chainId} and relayer = ${relayer} and step <> 'settled'
          and relayer_nonce >= ${first} and relayer_nonce < ${before}
        union all
        select id from settlement
        where chain_id = ${chainId} and relayer = ${relayer} and step <> 'settled'
          and relayer_nonce >= ${first} and relayer_nonce < ${before}
        limit 1`)
  }))
)
