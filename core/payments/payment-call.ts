/**
 * What a browser hands to an injected wallet: the one call that pays, made here whole, so that no script
 * on a page ever puts an address and an amount together.
 */
import * as Chain from "../chains/chain.ts"
import type { Connected } from "../ports/chains.ts"

/** As `eth_sendTransaction` takes it; numbers are hexadecimal. */
export interface PaymentCall {
  readonly chainId: string
  readonly to: string
  readonly data: string
  readonly value: "0x0"
}

/** The selector of `transfer(address,uint256)` (ERC-20). */
const transfer = "0xa9059cbb"

const word = (hexadecimal: string) => hexadecimal.toLowerCase().padStart(64, "0")

/** Undefined where wallets take no such call. */
export const paymentCall = (
  connected: Connected,
  payTo: string,
  amountMicro: bigint
): PaymentCall | undefined =>
  connected.chain.family === "evm"
    ? {
        chainId: `0x${Chain.eip155(connected.chain).toString(16)}`,
        to: connected.usdc,
        data: `${transfer}${word(payTo.slice(2))}${word(amountMicro.toString(16))}`,
        value: "0x0"
      }
    : undefined
