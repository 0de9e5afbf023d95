/** The store of payers' claims. One payer claims one transaction once, and the first claim stands. */
import { Context, type DateTime, type Effect } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"
import type { Claim } from "./claim.ts"

export class PaymentClaims extends Context.Service<
  PaymentClaims,
  {
    /** `known` when this payer claimed this transaction before; `full` when the request has `most` claims. */
    readonly add: (claim: Claim, most: number) => Effect.Effect<"kept" | "known" | "full">
    /** The claim of a payer on a transaction. */
    readonly find: (
      chainId: string,
      txHash: TransactionId,
      payerAddress: AddressKey
    ) => Effect.Effect<Claim | undefined>
    /** Forgets at most `max` of those made before an instant; how many there were. */
    readonly forget: (claimedBefore: DateTime.Utc, max: number) => Effect.Effect<number>
  }
>()("bursar/payments/PaymentClaims") {}
