/**
 * What every method of the local Solana answers from: one ledger, as a node sees it that may be some slots behind the
 * newest. A question that asks for a later slot than this node has is refused, as real nodes refuse it.
 */
import {
  type Address,
  type EncodedAccount,
  getBase64Decoder,
  isAddress,
  type MaybeEncodedAccount
} from "@solana/kit"
import { type Commitment, type Entry, type Ledger, slotAt } from "./ledger.ts"
import { behind, invalidParams } from "./rpc-error.ts"
import { parsed } from "./token-accounts.ts"
import { to58 } from "./transaction.ts"

export interface Front {
  readonly ledger: Ledger
  /** How many slots it has not heard of yet. */
  readonly behind: bigint
}

/** Which part of an account's data is told. */
export interface DataSlice {
  readonly offset: number
  readonly length: number
}

/** What a caller may say beside what it asks for; only what is answered to here. */
export interface Config {
  readonly commitment?: Commitment
  readonly encoding?: string
  readonly minContextSlot?: number
  readonly dataSlice?: DataSlice
  readonly [other: string]: unknown
}

export const addressIn = (text: unknown): Address => {
  if (typeof text === "string" && isAddress(text)) return text
  throw invalidParams("Invalid param: Invalid")
}

/** The slot that a question is answered as of. */
export const asOf = (front: Front, { commitment = "finalized", minContextSlot }: Config = {}) => {
  const slot = slotAt(front.ledger, commitment, front.behind)
  if (minContextSlot !== undefined && slot < BigInt(minContextSlot)) throw behind(slot)
  return slot
}

export const inContext = (slot: bigint, value: unknown) => ({
  context: { slot, apiVersion: "3.0.0" },
  value
})

/** A transaction that this front has heard of. */
export const heard = (front: Front, signature: string): Entry | undefined => {
  const entry = front.ledger.entries.get(signature)
  return entry !== undefined &&
    entry.slot >= front.ledger.historyFrom &&
    entry.slot <= slotAt(front.ledger, "processed", front.behind)
    ? entry
    : undefined
}

const neverCollected = 18_446_744_073_709_551_615n

const dataIn = (
  front: Front,
  account: EncodedAccount,
  encoding: string,
  { length, offset }: DataSlice = { offset: 0, length: account.data.length }
) => {
  const data = Uint8Array.from(account.data).subarray(offset, offset + length)
  if (encoding === "jsonParsed") {
    const readable = parsed(front.ledger.svm, account)
    if (readable !== undefined) return readable
  }
  if (encoding === "base58") return [to58(data), "base58"]
  return [getBase64Decoder().decode(data), "base64"]
}

/** An account as nodes tell it; null for one that is not there. */
export const shown = (
  front: Front,
  account: MaybeEncodedAccount,
  encoding = "base64",
  slice?: DataSlice
) =>
  account.exists
    ? {
        lamports: account.lamports,
        owner: account.programAddress,
        executable: account.executable,
        rentEpoch: neverCollected,
        space: BigInt(account.data.length),
        data: dataIn(front, account, encoding, slice)
      }
    : null
