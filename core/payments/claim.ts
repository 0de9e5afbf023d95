/**
 * A payer's word on which request their transaction was for, signed by the wallet that paid. It is heard
 * only where equal amounts would leave a payment to the merchant, and only from who sent the money.
 */
import type { DateTime } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"

export interface PayerStatement {
  readonly chainId: string
  readonly txHash: TransactionId
  readonly payerAddress: AddressKey
  readonly requestId: string
  readonly claimedAt: DateTime.Utc
}

/** A request takes no more claims than this, whoever sends them. */
export const maxPerRequest = 32

/** Claims are of use while blocks may still be reorganised; long before this they are not. */
export const keptDays = 7

interface Facts {
  readonly siteUrl: string
  readonly chainName: string
  readonly pid: string
  readonly txHash: TransactionId
}

/** The exact text a wallet signs. Nothing that a merchant or a payer wrote stands in it. */
export const messageOf = ({ siteUrl, chainName, pid, txHash }: Facts): string =>
  [
    `${siteUrl} asks what you paid for.`,
    "",
    `I sent transaction ${txHash}`,
    `on ${chainName}`,
    `for payment request ${pid}.`,
    "",
    "Signing this moves no money."
  ].join("\n")
