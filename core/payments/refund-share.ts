/**
 * What a refund sends back of a transfer that came in. The shares of a transfer that stand never add up to
 * more than the transfer, so no money goes back twice, whoever asks and however often.
 */
import type { DateTime } from "effect"
import { Schema } from "effect"
import * as Usdc from "../money/usdc.ts"
import * as Timestamp from "../time/timestamp.ts"
import type { Transfer } from "./transfer.ts"

export interface Share {
  readonly proposalId: string
  readonly transferId: string
  readonly amountMicro: Usdc.Usdc
  /** On its way back, back, or given up when its refund failed. */
  readonly state: "claimed" | "refunded" | "released"
  readonly at: DateTime.Utc
}

export type Part = Pick<Share, "transferId" | "amountMicro">

const sum = (shares: ReadonlyArray<Pick<Share, "amountMicro">>) =>
  Usdc.sum(shares.map(({ amountMicro }) => amountMicro))

/** What no standing share has taken of a transfer yet. */
export const leftOf = (
  { amountMicro, id }: Pick<Transfer, "id" | "amountMicro">,
  shares: ReadonlyArray<Share>
): Usdc.Usdc => {
  const taken = shares.filter((each) => each.transferId === id && each.state !== "released")
  return Usdc.sub(amountMicro, sum(taken))
}

export const leftOfAll = (
  transfers: ReadonlyArray<Pick<Transfer, "id" | "amountMicro">>,
  shares: ReadonlyArray<Share>
): Usdc.Usdc => Usdc.sum(transfers.map((transfer) => leftOf(transfer, shares)))

/** Takes the amount from what is left of the transfers, the first first; undefined when it is more than that. */
export const allot = (
  transfers: ReadonlyArray<Pick<Transfer, "id" | "amountMicro">>,
  shares: ReadonlyArray<Share>,
  amountMicro: Usdc.Usdc
): ReadonlyArray<Part> | undefined => {
  const parts: Array<Part> = []
  let missing = amountMicro
  for (const transfer of transfers) {
    const left = leftOf(transfer, shares)
    if (left <= 0n || missing <= 0n) continue
    const isEnough = left >= missing
    parts.push({ transferId: transfer.id, amountMicro: isEnough ? missing : left })
    missing = isEnough ? Usdc.zero : Usdc.sub(missing, left)
  }
  return missing > 0n ? undefined : parts
}

/** Whether all of a transfer is back where it came from. */
export const isRefunded = (
  { amountMicro, id }: Pick<Transfer, "id" | "amountMicro">,
  shares: ReadonlyArray<Share>
): boolean =>
  sum(shares.filter((each) => each.transferId === id && each.state === "refunded")) === amountMicro

const Refund = Schema.Struct({
  proposalId: Schema.String,
  status: Schema.Literals(["executing", "completed"]),
  amountSmallestUnit: Usdc.SmallestUnits,
  createdAt: Timestamp.Encoded
})

/** What a deposit and a payment request show of their refunds; those that failed are none. */
export const fields = {
  refundedSmallestUnit: Usdc.SmallestUnits.annotate({
    description: "The amount refunded and final; pending refunds are in `refunds`."
  }),
  refunds: Schema.Array(Refund)
}

export const refundsView = (shares: ReadonlyArray<Share>) => {
  const standing = shares.filter(({ state }) => state !== "released")
  const byProposal = [...Map.groupBy(standing, ({ proposalId }) => proposalId)]
  return {
    refundedSmallestUnit: sum(standing.filter(({ state }) => state === "refunded")),
    refunds: byProposal.map(([proposalId, [first, ...others]]) => ({
      proposalId,
      status: first?.state === "refunded" ? ("completed" as const) : ("executing" as const),
      amountSmallestUnit: (first?.amountMicro ?? 0n) + sum(others),
      createdAt: (first as Share).at
    }))
  }
}
