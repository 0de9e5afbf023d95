/**
 * Purchases: what an agent paid for by x402, one for a transaction of the chain, written down in the very
 * transaction that ends its settlement. The key that opening an account gives is sealed for a day, then gone.
 */
import { DateTime } from "effect"
import type { Account } from "../accounts/account.ts"
import type { Address, TransactionId } from "../chains/address.ts"
import type { Usdc } from "../money/usdc.ts"

export interface Purchase {
  readonly chainId: string
  readonly txHash: TransactionId
  readonly settlementId: string
  readonly accountId: string
  readonly purpose: "onboarding" | "renewal"
  readonly plan: Account["tier"]
  readonly amountMicro: Usdc
  /** Whose money it was, as the token's log has it. */
  readonly payer: Address
  readonly paidAt: DateTime.Utc
  /** When the plan ends that it paid for. */
  readonly expiresAt: DateTime.Utc
  /** The account's first key; of an onboarding alone. */
  readonly keyId: string | null
  /** That key, sealed for whoever paid; null once it is erased. */
  readonly sealedKey: string | null
  readonly eraseAt: DateTime.Utc | null
}

const keptHours = 24

export const eraseAt = (paidAt: DateTime.Utc): DateTime.Utc =>
  DateTime.add(paidAt, { hours: keptHours })

/** Where a purchase's key is sealed. */
export const placeOf = ({
  accountId,
  settlementId
}: Pick<Purchase, "accountId" | "settlementId">) => ({
  table: "purchase",
  row: settlementId,
  account: accountId
})
