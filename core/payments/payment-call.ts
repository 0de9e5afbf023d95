/**
 * What a browser hands to an injected wallet, and what a QR code says: made here whole, so that no script
 * on a page ever puts an address and an amount together.
 */
import { type Address, families } from "../chains/address.ts"
import type { WalletCall } from "../chains/family.ts"
import type { Connected } from "../ports/chains.ts"

const asked = ({ chain, usdc }: Connected, payTo: Address, amountMicro: bigint) => ({
  chain,
  token: usdc,
  payTo,
  units: amountMicro
})

/** Undefined where wallets take no such call. */
export const paymentCall = (
  connected: Connected,
  payTo: Address,
  amountMicro: bigint
): WalletCall | undefined =>
  families[connected.chain.family].walletCall(asked(connected, payTo, amountMicro))

/** What a payer's wallet reads from the QR code. */
export const paymentUri = (connected: Connected, payTo: Address, amountMicro: bigint): string =>
  families[connected.chain.family].paymentUri(asked(connected, payTo, amountMicro))
