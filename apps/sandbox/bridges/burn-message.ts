/**
 * The bytes of a message that tells one chain of a burn on another, as the attesters read and complete them. Where
 * each field stands is CCTP V2's; the body begins after 148 bytes.
 */
import type { Hex } from "viem"
import { concat, slice, toHex } from "viem/utils"

const bodyAt = 148
const places = {
  destinationDomain: [8, 4],
  nonce: [12, 32],
  minFinality: [140, 4],
  finalityExecuted: [144, 4],
  amount: [bodyAt + 68, 32],
  maxFee: [bodyAt + 132, 32],
  feeExecuted: [bodyAt + 164, 32],
  expirationBlock: [bodyAt + 196, 32]
} as const
type Field = keyof typeof places

export const bytesOf = (message: Hex, field: Field): Hex => {
  const [at, size] = places[field]
  return slice(message, at, at + size)
}

export const read = (message: Hex, field: Field): bigint => BigInt(bytesOf(message, field))

const put = (message: Hex, field: Field, value: bigint | Hex): Hex => {
  const [at, size] = places[field]
  const bytes = typeof value === "bigint" ? toHex(value, { size }) : value
  return concat([slice(message, 0, at), bytes, slice(message, at + size)])
}

/** The message with other values in these places. */
export const change = (
  message: Hex,
  changes: Readonly<Partial<Record<Field, bigint | Hex>>>
): Hex =>
  Object.entries(changes).reduce(
    (changed, [field, value]) => put(changed, field as Field, value),
    message
  )
