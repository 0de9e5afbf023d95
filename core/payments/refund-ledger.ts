/**
 * Refunds of transfers: the shares they take, and the ledger that keeps them. The standing shares of a transfer
 * never add up to more than came in, so no money goes back twice, whoever asks and whatever runs at once.
 */
import { Context, type DateTime, type Effect, Schema } from "effect"
import * as Usdc from "../money/usdc.ts"
import * as Timestamp from "../time/timestamp.ts"
import type { Transfer } from "./transfer.ts"

/** What a refund sends back of one transfer that came in. */
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

export interface ShareRequest {
  readonly proposalId: string
  readonly accountId: string
  readonly amountMicro: Usdc.Usdc
  /** Transfers of the account to take it from, the first first; those that are not final give nothing. */
  readonly transferIds: ReadonlyArray<string>
  readonly at: DateTime.Utc
}

export type Outcome =
  | { readonly _tag: "claimed" }
  | { readonly _tag: "over"; readonly leftMicro: Usdc.Usdc }

/** Written before the refund is signed. */
export class Refunds extends Context.Service<
  Refunds,
  {
    /**
     * Claims all of the amount or none of it, one claim on a transfer after the other until the
     * transaction ends; a proposal that holds shares already is `claimed` and counted once.
     */
    readonly claim: (claim: ShareRequest) => Effect.Effect<Outcome>
    /** What was claimed has gone back. */
    readonly complete: (proposalId: string) => Effect.Effect<void>
    /** Gives back what was claimed, once; what was refunded stays so. */
    readonly release: (proposalId: string) => Effect.Effect<void>
    /** A proposal's shares, those given back too. */
    readonly ofProposal: (proposalId: string) => Effect.Effect<ReadonlyArray<Share>>
    /** The standing shares of transfers, oldest first. */
    readonly ofTransfers: (
      transferIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Share>>
  }
>()("bursar/payments/Refunds") {}
