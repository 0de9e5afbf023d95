/**
 * The ledger of refunds. A refund claims its shares of the transfers it sends back before it is signed; the
 * standing shares of a transfer never pass what came in, whatever runs at once.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { Usdc } from "../money/usdc.ts"
import type { Share } from "./refund-share.ts"

export interface ShareRequest {
  readonly proposalId: string
  readonly accountId: string
  readonly amountMicro: Usdc
  /** Transfers of the account to take it from, the first first; those that are not final give nothing. */
  readonly transferIds: ReadonlyArray<string>
  readonly at: DateTime.Utc
}

export type Outcome =
  | { readonly _tag: "claimed" }
  | { readonly _tag: "over"; readonly leftMicro: Usdc }

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
