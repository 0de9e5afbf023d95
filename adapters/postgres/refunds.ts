/**
 * The ledger of refunds on SQL. Claims on a transfer pass one by one through the lock of its row, each
 * judged by shares that nobody can add to before it ends.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { type Claim, type Outcome, Refunds } from "../../core/payments/refund-ledger.ts"
import { allot, leftOfAll, type Share } from "../../core/payments/refund-share.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"

interface Row {
  readonly proposal_id: string
  readonly transfer_id: string
  readonly amount_micro: bigint
  readonly state: Share["state"]
  readonly claimed_at: Date
}

const read = (row: Row): Share => ({
  proposalId: row.proposal_id,
  transferId: row.transfer_id,
  amountMicro: row.amount_micro,
  state: row.state,
  at: Column.instant(row.claimed_at)
})

const claiming = (sql: SqlClient.SqlClient) => {
  const ofTransfers = (transferIds: ReadonlyArray<string>) =>
    Answer.all(
      sql<Row>`select * from refund_share
        where transfer_id = any(${transferIds}::text[]) and state <> 'released'
        order by claimed_at, proposal_id, transfer_id`,
      read
    )

  const holdsOne = (proposalId: string) =>
    Answer.any(sql`
      select proposal_id from refund_share
      where proposal_id = ${proposalId} and state <> 'released' limit 1`)

  /** In the order of their ids, so that two who want the same ones do not wait in a circle. */
  const lock = ({ accountId, transferIds }: Claim) =>
    Answer.all(
      sql<{ id: string; amount_micro: bigint }>`select id, amount_micro from transfer
        where id = any(${transferIds}::text[]) and account_id = ${accountId} and state = 'final'
        order by id for no key update`,
      ({ amount_micro, id }) => ({ id, amountMicro: amount_micro })
    )

  const write = (
    { accountId, at, proposalId }: Claim,
    { amountMicro, transferId }: Pick<Share, "amountMicro" | "transferId">
  ) =>
    Answer.written(sql`
      insert into refund_share as was (proposal_id, transfer_id, account_id, amount_micro, state,
        claimed_at)
      values (${proposalId}, ${transferId}, ${accountId}, ${amountMicro}, 'claimed',
        ${Column.date(at)})
      on conflict (proposal_id, transfer_id) do update
        set amount_micro = excluded.amount_micro, state = 'claimed',
          claimed_at = excluded.claimed_at
      where was.state = 'released'
      returning proposal_id`)

  const claim: Refunds["Service"]["claim"] = (wanted) => {
    // Statement by statement: each must see what was committed while the locks were waited for.
    const judged = Effect.gen(function* () {
      const locked = yield* lock(wanted)
      if (yield* holdsOne(wanted.proposalId)) return { _tag: "claimed" } satisfies Outcome
      const place = (id: string) => wanted.transferIds.indexOf(id)
      const found = locked.toSorted((one, other) => place(one.id) - place(other.id))
      const standing = yield* ofTransfers(found.map(({ id }) => id))
      const parts = allot(found, standing, wanted.amountMicro)
      if (parts === undefined) {
        return { _tag: "over", leftMicro: leftOfAll(found, standing) } satisfies Outcome
      }
      for (const part of parts) yield* write(wanted, part)
      return { _tag: "claimed" } satisfies Outcome
    })
    return Effect.orDie(sql.withTransaction(judged))
  }

  return { claim, ofTransfers }
}

export const layer = Layer.effect(
  Refunds,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    ...claiming(sql),

    complete: (proposalId) =>
      Answer.done(sql`
        update refund_share set state = 'refunded'
        where proposal_id = ${proposalId} and state = 'claimed'`),

    release: (proposalId) =>
      Answer.done(sql`
        update refund_share set state = 'released'
        where proposal_id = ${proposalId} and state = 'claimed'`),

    ofProposal: (proposalId) =>
      Answer.all(
        sql<Row>`select * from refund_share
          where proposal_id = ${proposalId} order by claimed_at, transfer_id`,
        read
      )
  }))
)
