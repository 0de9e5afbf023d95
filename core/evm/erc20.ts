/** Calls of ERC-20 tokens as bytes, and what tokens answer; addresses and amounts each fill a word. */
import type { AddressKey } from "../chains/address.ts"
import type { EvmCall } from "./call.ts"

/** approve(address,uint256) */
const approveSelector = "095ea7b3"
/** allowance(address,address) */
const allowanceSelector = "dd62ed3e"

const addressWord = (address: AddressKey): string => address.slice(2).padStart(64, "0")
const amountWord = (units: bigint): string => units.toString(16).padStart(64, "0")

export interface Approval {
  readonly token: AddressKey
  readonly owner: AddressKey
  readonly spender: AddressKey
  readonly units: bigint
}

/** The owner's own call that sets an allowance, which the token must show afterwards. */
export const approve = ({ owner, spender, token, units }: Approval): EvmCall => ({
  to: token,
  data: `0x${approveSelector}${addressWord(spender)}${amountWord(units)}`,
  value: 0n,
  expect: {
    to: token,
    data: `0x${allowanceSelector}${addressWord(owner)}${addressWord(spender)}`,
    answer: `0x${amountWord(units)}`
  }
})
