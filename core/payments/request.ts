/**
 * A payment request as it is stored: the amount, the vault, the expiry, and what came. Surfaces show it by
 * `view.ts`, webhooks by `announce.ts`.
 */
import type { DateTime, Schema } from "effect"
import type { Address, AddressKey, TransactionId } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import { define } from "../operation/refusal.ts"
import type { Customer } from "../wallets/wallet.ts"
import type { SettlementIssue, Status } from "./status.ts"
import type { Method } from "./transfer.ts"

export interface Product {
  readonly slug: string
  readonly name: string
  readonly externalSkuId: string
}

export interface PaymentRequest {
  readonly id: string
  readonly pid: string
  readonly accountId: string
  readonly vaultId: string
  readonly chainId: string
  readonly payToAddress: Address
  /** The address that a payment names to say it is for this request, where the chain takes one. */
  readonly reference: AddressKey | null
  readonly amountMicro: Usdc.Usdc
  /** Final money credited to it. */
  readonly receivedMicro: Usdc.Usdc
  readonly status: Status
  readonly settlementIssue: SettlementIssue
  readonly description: string | null
  readonly externalReference: string | null
  readonly metadata: Readonly<Record<string, Schema.Json>>
  readonly customer: Customer | null
  readonly product: Product | null
  readonly checkoutSessionId: string | null
  readonly successUrl: string | null
  readonly cancelUrl: string | null
  readonly expiresAt: DateTime.Utc
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
  readonly paidAt: DateTime.Utc | null
  /** Of the transfer that completed it, or the newest credited one. */
  readonly txHash: TransactionId | null
  readonly method: Method | null
  readonly payerAddress: AddressKey | null
  /** Whether a transfer was ever credited to it or a payment signed for it: if not, there is none to look for. */
  readonly wasAttempted: boolean
}

/** What may change about a request; its terms never do. */
export const changing = [
  "receivedMicro",
  "status",
  "settlementIssue",
  "expiresAt",
  "updatedAt",
  "paidAt",
  "txHash",
  "method",
  "payerAddress",
  "wasAttempted"
] as const satisfies ReadonlyArray<keyof PaymentRequest>

export const remainingMicro = ({ amountMicro, receivedMicro }: PaymentRequest): Usdc.Usdc =>
  Usdc.missing(amountMicro, receivedMicro)

export class PaymentRequestNotOpen extends define("PAYMENT_REQUEST_NOT_OPEN", {
  kind: "conflict",
  meaning: "The payment request has expired or was cancelled; create a new one."
}) {}

export class AlreadySettled extends define("ALREADY_SETTLED", {
  kind: "conflict",
  meaning:
    "A payment for this request has arrived or is pending; read the request before you continue."
}) {}
