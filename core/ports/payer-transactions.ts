/**
 * Whole transactions for payers' own wallets, on chains whose wallets take these in the place of a call. Each is made
 * for one payer, who alone signs it, sends it and pays its fee; nothing of it is kept.
 */
import { Context, type Effect } from "effect"
import type { Address } from "../chains/address.ts"
import type { PaymentAsked } from "../chains/family.ts"
import type { Usdc } from "../money/usdc.ts"
import type { ChainUnavailable } from "./chains.ts"

export type PayerTransaction =
  | {
      readonly _tag: "made"
      /** Base64, with an empty place for the payer's signature. */
      readonly transaction: string
    }
  /** The payer holds less USDC than is asked for. */
  | { readonly _tag: "too_little"; readonly heldMicro: Usdc }
  /** The payer holds nothing of the chain's coin, in which the fee is paid. */
  | { readonly _tag: "no_coin" }

export class PayerTransactions extends Context.Service<
  PayerTransactions,
  {
    /** What pays exactly what is asked, by the chain as it is now. */
    readonly make: (
      asked: PaymentAsked,
      payer: Address
    ) => Effect.Effect<PayerTransaction, ChainUnavailable>
  }
>()("bursar/ports/PayerTransactions") {}
