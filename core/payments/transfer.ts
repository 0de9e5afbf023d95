/**
 * A transfer of USDC to a vault, recorded once by (chainId, txHash, logIndex). It is either credited
 * to one payment request, then it is an attempt, or stands as a deposit for the merchant to resolve.
 */
import { type DateTime, Schema, Struct } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"
import type { Usdc } from "../money/usdc.ts"
import type { DepositIssue } from "./status.ts"

export type Method = "direct" | "checkout" | "x402"

/** How a deposit was resolved; money from a wallet of the account itself is from the start. */
export const Resolution = Schema.Literals([
  "accepted",
  "attached",
  "ignored",
  "refunded",
  "own_transfer"
])
export type Resolution = typeof Resolution.Type

export interface Transfer {
  readonly id: string
  readonly accountId: string
  readonly vaultId: string
  readonly chainId: string
  readonly txHash: TransactionId
  readonly logIndex: number
  readonly blockNumber: number
  readonly blockHash: string
  readonly blockTime: DateTime.Utc
  readonly payerAddress: AddressKey
  readonly amountMicro: Usdc
  /** Seen in a block, final by the chain's rule, or dropped with its block. */
  readonly state: "seen" | "final" | "reorged"
  readonly seenAt: DateTime.Utc
  readonly finalAt: DateTime.Utc | null
  /** The request it is credited to; null while it is a deposit. */
  readonly requestId: string | null
  readonly method: Method
  /** Why it is a deposit; `none` for money nobody asked for, for own transfers, and for every attempt. */
  readonly settlementIssue: DepositIssue
  /** The requests a deposit may have been meant for. */
  readonly candidatePids: ReadonlyArray<string>
  /** How a deposit was resolved; null while it is open. */
  readonly resolution: Resolution | null
}

/** What a transfer counts for, which may be decided anew. */
export const assignable = [
  "requestId",
  "method",
  "settlementIssue",
  "candidatePids",
  "resolution"
] as const satisfies ReadonlyArray<keyof Transfer>

/**
 * A transfer whose block was dropped, as its new block has it. The same transaction may pay another vault
 * there: what it counted for holds only for the same one.
 */
export const reincluded = (dropped: Transfer, transfer: Transfer): Transfer => ({
  ...transfer,
  id: dropped.id,
  seenAt: dropped.seenAt,
  ...(dropped.vaultId === transfer.vaultId ? Struct.pick(dropped, assignable) : {})
})

/** Whether it stands among the deposits: it pays no request, or a resolution made it pay one. */
export const isListed = ({ requestId, resolution, state }: Transfer): boolean =>
  state !== "reorged" && (requestId === null || resolution !== null)

export const isDeposit = (transfer: Transfer): boolean =>
  transfer.requestId === null && transfer.state !== "reorged"
