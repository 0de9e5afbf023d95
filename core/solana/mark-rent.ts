/** The rent that marks hold: which marks stand, since when, and the transaction that gives their rent back to the relayer. */
import { Context, type DateTime, type Effect } from "effect"
import type { ChainUnavailable } from "../ports/chains.ts"
import type { Reclaim } from "../submissions/reclaim.ts"
import type { KnownPayment } from "../submissions/submitter.ts"
import type { Attempt } from "./journal.ts"
import type { Bid, Conditions } from "./relay.ts"

/** A mark that stands in the final blocks of every node that is asked. */
export interface StandingMark extends KnownPayment {
  readonly lamports: bigint
}

export class MarkRent extends Context.Service<
  MarkRent,
  {
    /** Which of these payments have a mark that stands. */
    readonly standing: (
      chainId: string,
      payments: ReadonlyArray<KnownPayment>
    ) => Effect.Effect<ReadonlyArray<StandingMark>, ChainUnavailable>
    /** When the final block was that made its mark; null when the node does not show one. */
    readonly madeAt: (payment: KnownPayment) => Effect.Effect<DateTime.Utc | null, ChainUnavailable>
    /**
     * Signs as the wallet and as the relayer, for all marks of the wallet or none; dies with `ReclaimDenied`, and signs
     * nothing, when the records do not warrant it.
     */
    readonly sign: (
      reclaim: Reclaim,
      marks: ReadonlyArray<StandingMark>,
      bid: Pick<Bid, "priority" | "units">,
      conditions: Conditions
    ) => Effect.Effect<Pick<Attempt, "txId" | "wire">>
  }
>()("bursar/solana/MarkRent") {}
