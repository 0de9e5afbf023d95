/**
 * The ledger of refunds on SQL. Claims on a transfer pass one by one through the lock of its row, each
 * judged by shares that nobody can add to before it ends.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Usdc from "../../core/money/usdc.ts"
import {
  allot,
  leftOfAll,
  type Outcome,
  Refunds,
  type Share,
  type ShareRequest
} from "../../core/payments/refund-ledger.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Defect from "./defect.ts"
import * as Rows from "./rows.ts"
import { bigint, named, table, text, timestamp, uuid } from "./table.ts"

const shareTable = table<Share>(
  "refund_share",
  {
    proposalId: uuid,
    transferId: uuid,
    amountMicro: bigint,
    state: text,
    at: named("claimed_at", timestamp)
  },
  ["proposalId", "transferId"]
)

const claiming = (sql: SqlClient.SqlClient, shares: Rows.Rows<Share>) => {
  const ofTransfers = (transferIds: ReadonlyArray<string>) =>
    shares.all(
      sql`transfer_id = any(${Column.soughtUuids(transferIds)}::uuid[]) and state <> 'released'`,
      sql` order by claimed_at, proposal_id, transfer_id`
    )

  const holdsOne = (proposalId: string) =>
    shares.any(sql`proposal_id = ${proposalId} and state <> 'released'`)

  /** In the order of their ids, so that two who want the same ones do not wait in a circle. */
  const lock = ({ accountId, transferIds }: ShareRequest) =>
    Answer.all(
      sql<{ id: string; amount_micro: bigint }>`select id, amount_micro from transfer
        where id = any(${Column.soughtUuids(transferIds)}::uuid[]) and account_id = ${accountId} and state = 'final'
        order by id for no key update`,
      ({ amount_micro, id }) => ({ id, amountMicro: Usdc.make(amount_micro) })
    )

  const write = (
    { accountId, at, proposalId }: ShareRequest,
    part: Pick<Share, "amountMicro" | "transferId">
  ) =>
    Answer.written(sql`
      ${shareTable.insert({ ...part, proposalId, state: "claimed", at }, { account_id: accountId })}
      on conflict (proposal_id, transfer_id) do update
        set amount_micro = excluded.amount_micro, state = 'claimed',
          claimed_at = excluded.claimed_at
      where refund_share.state = 'released'
      returning proposal_id`)

  const claim: Refunds["Service"]["claim"] = (wanted) => {
    // Statement by statement: each must see what was committed while the locks were waited for.
    const reserving = Effect.gen(function* () {
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
    return Defect.orDie(sql.withTransaction(reserving))
  }

  return { claim, ofTransfers }
}

export const layer = Layer.effect(
  Refunds,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const shares = Rows.rows(sql, shareTable)
    const end = (proposalId: string, state: Share["state"]) =>
      Effect.asVoid(shares.updateAll({ proposalId, state: "claimed" }, { state }))
    return {
      ...claiming(sql, shares),
      complete: (proposalId) => end(proposalId, "refunded"),
      release: (proposalId) => end(proposalId, "released"),
      ofProposal: (proposalId) => shares.all({ proposalId }, sql` order by claimed_at, transfer_id`)
    }
  })
)
