/** A settlement attempt as the wire shows it: one transfer credited to a request, and how final it is. */
import { type DateTime, Schema } from "effect"
import * as Usdc from "../money/usdc.ts"
import * as Instant from "../time/timestamp.ts"
import type { Transfer } from "./transfer.ts"

export const Method = Schema.Literals(["direct", "checkout", "x402"])

export const Attempt = Schema.Struct({
  id: Schema.String,
  method: Method,
  status: Schema.Literals(["seen", "confirmed", "final", "reorged", "rejected"]),
  txHash: Schema.String,
  logIndex: Schema.Int,
  amountSmallestUnit: Usdc.SmallestUnits,
  payerAddress: Schema.String,
  blockNumber: Schema.Int,
  confirmations: Schema.Int,
  seenAt: Instant.Shown,
  settledAt: Schema.NullOr(Instant.Shown),
  reason: Schema.NullOr(Schema.String)
})

const confirmationsOf = (transfer: Transfer, head: number | undefined) =>
  head === undefined || transfer.state === "reorged"
    ? 0
    : Math.max(0, head - transfer.blockNumber + 1)

/** `seen` is the block's own confirmation, `confirmed` more than that, `final` the chain's rule. */
const statusOf = (transfer: Transfer, confirmations: number) =>
  transfer.state === "seen" && confirmations > 1 ? "confirmed" : transfer.state

export const view = (transfer: Transfer, head: number | undefined): typeof Attempt.Type => {
  const confirmations = confirmationsOf(transfer, head)
  const settledAt: DateTime.Utc | null = transfer.finalAt
  return {
    id: transfer.id,
    method: transfer.method,
    status: statusOf(transfer, confirmations),
    txHash: transfer.txHash,
    logIndex: transfer.logIndex,
    amountSmallestUnit: transfer.amountMicro,
    payerAddress: transfer.payerAddress,
    blockNumber: transfer.blockNumber,
    confirmations,
    seenAt: transfer.seenAt,
    settledAt,
    reason: transfer.state === "reorged" ? "its block was dropped by a reorganisation" : null
  }
}
