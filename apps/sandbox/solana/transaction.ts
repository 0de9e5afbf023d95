/** A transaction as it came over the wire, taken apart: its signature, its accounts and which of them it may write. */
import {
  type Address,
  address,
  type CompiledTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type ReadonlyUint8Array,
  type Transaction
} from "@solana/kit"
import type { LiteSVM } from "litesvm"

export interface Instruction {
  readonly programAddressIndex: number
  readonly accountIndices?: ReadonlyArray<number>
  readonly data?: ReadonlyUint8Array
}

export interface Decoded {
  readonly raw: Uint8Array
  readonly transaction: Transaction
  readonly signature: string
  readonly version: "legacy" | 0
  readonly header: CompiledTransactionMessage["header"]
  /** A recent block hash, or the value of a durable nonce. */
  readonly lifetime: string
  readonly instructions: ReadonlyArray<Instruction>
  /** Those in the message, without what lookup tables add. */
  readonly named: ReadonlyArray<Address>
  readonly loaded: {
    readonly writable: ReadonlyArray<Address>
    readonly readonly: ReadonlyArray<Address>
  }
  /** All, in the order in which instructions count them. */
  readonly keys: ReadonlyArray<Address>
}

export const to58 = (bytes: ReadonlyUint8Array): string => getBase58Decoder().decode(bytes)

const keyBytes = 32
const tableHeaderBytes = 56

/** The addresses that a lookup table holds at these places. */
const lookedUp = (svm: LiteSVM, table: Address, places: ReadonlyArray<number>) => {
  const held = svm.getAccount(table)
  if (!held.exists) return []
  return places.map((place) => {
    const start = tableHeaderBytes + keyBytes * place
    return address(to58(held.data.subarray(start, start + keyBytes)))
  })
}

export const decode = (svm: LiteSVM, raw: Uint8Array): Decoded => {
  const transaction = getTransactionDecoder().decode(raw)
  const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
  if (message.version === 1) throw new Error("Transactions of version 1 are not taken here.")
  const lookups = message.version === 0 ? (message.addressTableLookups ?? []) : []
  const writable = lookups.flatMap((one) =>
    lookedUp(svm, one.lookupTableAddress, one.writableIndexes)
  )
  const readonly = lookups.flatMap((one) =>
    lookedUp(svm, one.lookupTableAddress, one.readonlyIndexes)
  )
  const [first] = Object.values(transaction.signatures)
  return {
    raw,
    transaction,
    signature: to58(first ?? new Uint8Array(64)),
    version: message.version,
    header: message.header,
    lifetime: message.lifetimeToken,
    instructions: message.instructions,
    named: message.staticAccounts,
    loaded: { writable, readonly },
    keys: [...message.staticAccounts, ...writable, ...readonly]
  }
}

/** The accounts that it may change. */
export const writable = ({ header, loaded, named }: Decoded): ReadonlyArray<Address> => {
  const signers = header.numSignerAccounts
  const changing = named.filter((_, at) =>
    at < signers
      ? at < signers - header.numReadonlySignerAccounts
      : at < named.length - header.numReadonlyNonSignerAccounts
  )
  return [...changing, ...loaded.writable]
}

const system = "11111111111111111111111111111111"
const advanceNonce = 4

/** The nonce account that it names in the place of a recent block; undefined when it names a block. */
export const nonceAccount = ({ instructions, keys }: Decoded): Address | undefined => {
  const [first] = instructions
  if (first === undefined || keys[first.programAddressIndex] !== system) return undefined
  const { accountIndices: [at] = [], data } = first
  if (data?.length !== 4 || data[0] !== advanceNonce || at === undefined) return undefined
  return keys[at]
}
