/** The EVM family: hexadecimal addresses whose case is a checksum (EIP-55) and no part of their identity. */
import { type Chain, eip155 } from "./chain.ts"
import { checksummed } from "./evm-checksum.ts"
import type { ChainFamily, PaymentAsked } from "./family.ts"

/** The selector of `transfer(address,uint256)` (ERC-20). */
const transfer = "0xa9059cbb"

const word = (hexadecimal: string) => hexadecimal.toLowerCase().padStart(64, "0")

const lost: Readonly<Record<string, string>> = {
  "0x0000000000000000000000000000000000000000": "the zero address; money sent there would be lost",
  "0x000000000000000000000000000000000000dead": "a burn address; money sent there would be lost"
}

/** In one case any address goes; in mixed case its checksum must be right. */
const parseAddress = (text: string): string | undefined => {
  if (!/^0x[0-9a-fA-F]{40}$/u.test(text)) return undefined
  const digits = text.slice(2)
  const right = checksummed(digits)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isOneCase || digits === right ? `0x${right}` : undefined
}

export const evm: ChainFamily = {
  family: "evm",
  curve: "secp256k1",
  accountWord: "Ethereum",
  parseAddress,
  addressKey: (address) => address.toLowerCase(),
  transactionKey: (transactionId) => transactionId.toLowerCase(),
  isTransactionId: (text) => /^0x[0-9a-fA-F]{64}$/u.test(text),
  chainReference: (chain: Chain) => String(eip155(chain)),
  // Plain integers, so that no wallet has anything to round (EIP-681).
  paymentUri: ({ chain, payTo, token, units }: PaymentAsked) =>
    `ethereum:${token}@${eip155(chain)}/transfer?address=${payTo}&uint256=${units}`,
  walletCall: ({ chain, payTo, token, units }) => ({
    chainId: `0x${eip155(chain).toString(16)}`,
    to: token,
    data: `${transfer}${word(payTo.slice(2))}${word(units.toString(16))}`,
    value: "0x0"
  }),
  takesSignedClaims: true,
  takesApprovals: true,
  whyLost: (addressKey) => lost[addressKey]
}
