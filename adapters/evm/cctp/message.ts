/**
 * The message that tells the destination of a burn. The source chain says what it must be; the attesters may fill in
 * its nonce, how final the burn was, a fee within bounds and an end, and change nothing else.
 */
import type { Hex } from "viem"
import { concat, size, slice, toHex } from "viem/utils"

const bodyAt = 148
const nonceAt = 12
const executedAt = 144
const amountAt = bodyAt + 68
const feeAt = bodyAt + 164
const expirationAt = bodyAt + 196
const hookAt = bodyAt + 228

const zero = (bytes: number): Hex => toHex(0, { size: bytes })

/** What the attesters fill in, emptied. */
const emptied = (message: Hex): Hex =>
  concat([
    slice(message, 0, nonceAt),
    zero(32),
    slice(message, nonceAt + 32, executedAt),
    zero(4),
    slice(message, bodyAt, feeAt),
    zero(64),
    slice(message, hookAt)
  ])

const number = (message: Hex, at: number, bytes = 32): bigint =>
  BigInt(slice(message, at, at + bytes))

export interface Completed {
  readonly nonce: Hex
  readonly feeUnits: bigint
  /** The block from which on the destination's contracts do not take it any more; nought when they always do. */
  readonly expiresAtBlock: bigint
}

/** What the attesters filled in; undefined when they changed anything else, or the fee is beyond what was allowed. */
export const completedOf = (sent: Hex, attested: Hex): Completed | undefined => {
  if (size(attested) !== size(sent) || size(sent) <= hookAt) return undefined
  if (emptied(attested).toLowerCase() !== emptied(sent).toLowerCase()) return undefined
  const nonce = slice(attested, nonceAt, nonceAt + 32)
  const feeUnits = number(attested, feeAt)
  const maxFee = number(sent, bodyAt + 132)
  if (BigInt(nonce) === 0n || feeUnits > maxFee) return undefined
  return { nonce, feeUnits, expiresAtBlock: number(attested, expirationAt) }
}

/** What a burn says of itself beside its amount: how it is known. */
export const hookOf = (message: Hex): Hex | undefined =>
  size(message) > hookAt ? slice(message, hookAt) : undefined

/** Whom it mints to, as 32 bytes. */
export const receiverOf = (message: Hex): Hex => slice(message, bodyAt + 36, bodyAt + 68)

/** What a message's body mints to its receiver, once its fee is off; undefined for a body that is none of a burn. */
export const mintedBy = (body: Hex): bigint | undefined =>
  size(body) < hookAt - bodyAt
    ? undefined
    : number(body, amountAt - bodyAt) - number(body, feeAt - bodyAt)

export const amountOf = (message: Hex): bigint => number(message, amountAt)
