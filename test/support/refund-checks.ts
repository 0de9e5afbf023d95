/** What tests of refunds ask: how a call was refused, and what is claimed of a transfer. */
import { Effect } from "effect"
import { Refunds } from "../../core/payments/refund-ledger.ts"

interface Refused {
  readonly _tag: string
  readonly message: string
  readonly param?: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly next?: unknown
}

/** The refusal; a defect when the call was none. */
export const refused = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), (error) => error as unknown as Refused)

/** The standing shares of transfers. */
export const sharesOf = (...transferIds: ReadonlyArray<string>) =>
  Effect.flatMap(Refunds, (refunds) => refunds.ofTransfers(transferIds))
