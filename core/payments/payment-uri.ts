/** What a payer's wallet reads from the QR code: EIP-681 on EVM, plain integers, nothing to round. */
import * as Chain from "../chains/chain.ts"
import type { Connected } from "../ports/chains.ts"

/** `ethereum:<usdc>@<chainId>/transfer?address=<vault>&uint256=<units>` (EIP-681). */
export const paymentUri = (connected: Connected, payTo: string, amountMicro: bigint): string =>
  `ethereum:${connected.usdc}@${Chain.eip155(connected.chain)}/transfer?address=${payTo}&uint256=${amountMicro}`
