/** What the operator sets of payments; each has one value per process. */
import { Context } from "effect"
import type { Usdc } from "../money/usdc.ts"

export class PaymentSettings extends Context.Service<
  PaymentSettings,
  {
    /** A transfer below this that completes nothing never changes a status (contract, Payment requests). */
    readonly dustMicro: Usdc
  }
>()("bursar/payments/PaymentSettings") {}
