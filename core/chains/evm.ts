/** The EVM family: hexadecimal addresses whose case is a checksum (EIP-55) and no part of their identity. */
import { joined } from "../encoding/joined.ts"
import { type Chain, eip155 } from "./chain.ts"
import { checksummed } from "./evm-checksum.ts"
import { tokens } from "./evm-contracts.ts"
import type { ChainFamily, Coin, PaymentAsked } from "./family.ts"

/** The selector of `transfer(address,uint256)` (ERC-20). */
const transfer = "0xa9059cbb"

const word = (hexadecimal: string) => hexadecimal.toLowerCase().padStart(64, "0")

const lost: Readonly<Record<string, string>> = {
  "0x0000000000000000000000000000000000000000": "the zero address; money sent there would be lost",
  "0x000000000000000000000000000000000000dead": "a burn address; money sent there would be lost"
}

const ether: Coin = { symbol: "ETH", name: "Ether", decimals: 18 }
const pol: Coin = { symbol: "POL", name: "Polygon Ecosystem Token", decimals: 18 }

/** In one case any address goes; in mixed case its checksum must be right. */
const parseAddress = (text: string): string | undefined => {
  if (!/^0x[0-9a-fA-F]{40}$/u.test(text)) return undefined
  const digits = text.slice(2)
  const right = checksummed(digits)
  const isOneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase()
  return isOneCase || digits === right ? joined("0x", right) : undefined
}

/** Bytes in hex, in the form in which they are compared. */
export const hexKey = (hex: string): string => hex.toLowerCase()

/** Bytes as hex, as everything on these chains is written. */
export const hexOf = (bytes: Uint8Array): string =>
  `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`

/** A transfer request of EIP-681 as we write it, and nothing else that such a text may ask for. */
const paymentForm =
  /^ethereum:(0x[0-9a-f]{40})@(\d{1,10})\/transfer\?address=(0x[0-9a-f]{40})&uint256=([1-9]\d{0,18})$/iu

export const evm: ChainFamily = {
  family: "evm",
  curve: "secp256k1",
  accountWord: "Ethereum",
  addressForm: "0x and 40 hexadecimal digits, in one case or with the right checksum",
  parseAddress,
  addressKey: hexKey,
  transactionKey: hexKey,
  parseTransactionId: (text) =>
    /^0x[0-9a-fA-F]{64}$/u.test(text) ? text.toLowerCase() : undefined,
  chainReference: (chain: Chain) => String(eip155(chain)),
  // Plain integers, so that no wallet has anything to round (EIP-681).
  paymentUri: ({ chain, payTo, token, units }: PaymentAsked) =>
    `ethereum:${token}@${eip155(chain)}/transfer?address=${payTo}&uint256=${units}`,
  readPaymentUri: (uri) => {
    const [, token = "", chainReference = "", payTo = "", units = ""] = paymentForm.exec(uri) ?? []
    return units === ""
      ? undefined
      : { chainReference, token, payTo, units: BigInt(units), reference: undefined }
  },
  walletChain: () => undefined,
  walletCall: ({ chain, payTo, token, units }) => ({
    chainId: `0x${eip155(chain).toString(16)}`,
    to: token,
    data: `${transfer}${word(payTo.slice(2))}${word(units.toString(16))}`,
    value: "0x0"
  }),
  takesAuthorizations: true,
  takesApprovals: true,
  tokenField: "TokenAddress",
  tellsByAddress: false,
  holdsInAccounts: false,
  takesReferences: false,
  maxMemoBytes: 0,
  whyLost: (addressKey) => lost[addressKey],
  coinOf: ({ id }) => (id.startsWith("polygon") ? pol : ether),
  tokens,
  exampleAddress: "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
}

/** Half the order of secp256k1. */
const halfOrder = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

const form = /^0x([0-9a-f]{64})([0-9a-f]{64})(00|01|1b|1c)$/u

/**
 * The one form a plain account's signature may have: 65 bytes, `s` in the lower half of the curve's order
 * (EIP-2). Its twin with a high `s` verifies just as well, so it is refused before anybody recovers it.
 */
export const isPlainForm = (signature: string): boolean => {
  const parts = form.exec(signature.toLowerCase())
  if (parts === null) return false
  const [r, s] = [BigInt(`0x${parts[1]}`), BigInt(`0x${parts[2]}`)]
  return r > 0n && s > 0n && s <= halfOrder
}
