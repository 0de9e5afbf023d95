/**
 * The transaction that brings a message there: the relayer hands it to the transmitter and pays for it. Whoever sends
 * it, the programs mint to the account that the message names, and once only, so no wallet signs it.
 */
import { AccountRole, type Address, address, type Instruction } from "@solana/kit"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import * as Base58 from "../../../core/encoding/base58.ts"
import type { Delivery } from "../../../core/solana/delivery.ts"
import type { Bid, Conditions } from "../../../core/solana/relay.ts"
import { tokenAccountOf } from "../derived.ts"
import type { Tables } from "../lookup-table.ts"
import { as, budget, type Compiled, compiled, opening, type Step } from "../transaction.ts"
import * as Places from "./places.ts"

const receiveMessage = [0x26, 0x90, 0x7f, 0xe1, 0x1f, 0xe1, 0xee, 0x19]

const bodyAt = 148
const nonceAt = 12
const shortestMessage = bodyAt + 228

export interface Draft {
  readonly delivery: Delivery
  readonly mint: string
  readonly feeRecipient: string
  readonly relayer: string
  readonly bid: Bid
  readonly conditions: Pick<Conditions, "blockhash" | "lastValidBlockHeight">
}

export interface Told {
  readonly bytes: Uint8Array
  readonly domain: number
  readonly usedNonce: Address
  readonly remoteToken: Uint8Array
  /** The token account that it is minted to. */
  readonly recipient: Address
}

/** What a message says of where it comes from and goes to; undefined when it is too short for one. */
export const read = (delivery: Pick<Delivery, "message">): Told | undefined => {
  const bytes = Places.bytesOf(delivery.message)
  if (bytes.length < shortestMessage) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return {
    bytes,
    domain: view.getUint32(4),
    usedNonce: Places.usedNonceOf(bytes.subarray(nonceAt, nonceAt + 32)),
    remoteToken: bytes.subarray(bodyAt + 4, bodyAt + 36),
    recipient: address(Base58.encode(bytes.subarray(bodyAt + 36, bodyAt + 68)))
  }
}

const lengthOf = (bytes: Uint8Array): Uint8Array => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return length
}

const readable = (each: string) => ({ address: address(each), role: AccountRole.READONLY })
const writable = (each: string) => ({ address: address(each), role: AccountRole.WRITABLE })
const paying = (each: string) => ({ address: address(each), role: AccountRole.WRITABLE_SIGNER })

const receiving = ({ delivery, feeRecipient, mint, relayer }: Draft, told: Told): Instruction => {
  const attestation = Places.bytesOf(delivery.attestation)
  const { bytes, domain, recipient, remoteToken, usedNonce } = told
  const { fixed } = Places
  return {
    programAddress: Places.transmitterProgram,
    data: Buffer.concat([
      Uint8Array.from(receiveMessage),
      lengthOf(bytes),
      bytes,
      lengthOf(attestation),
      attestation
    ]),
    accounts: [
      paying(relayer),
      paying(relayer),
      readable(fixed.receiverAuthority),
      readable(fixed.transmitter),
      writable(usedNonce),
      readable(Places.messengerProgram),
      readable(SYSTEM_PROGRAM_ADDRESS),
      readable(fixed.transmitterEvents),
      readable(Places.transmitterProgram),
      // What the messenger is handed.
      readable(fixed.messenger),
      readable(Places.remoteMessengerOf(domain)),
      readable(fixed.minter),
      writable(Places.localTokenOf(mint).address),
      readable(Places.pairOf(domain, remoteToken).address),
      writable(tokenAccountOf(feeRecipient, mint)),
      writable(recipient),
      writable(Places.custodyOf(mint).address),
      readable(TOKEN_PROGRAM_ADDRESS),
      readable(fixed.messengerEvents),
      readable(Places.messengerProgram)
    ]
  }
}

/** In order; the place of one in this list is its index in the transaction. */
export const instructions = (draft: Draft, told: Told): ReadonlyArray<Step> => {
  const { bid, delivery, mint, relayer } = draft
  return [
    ...budget(bid),
    ...(bid.opensAccount ? [opening(relayer, delivery.receiver, mint)] : []),
    as("delivery")(receiving(draft, told))
  ]
}

/** What is signed, with an empty place for the relayer's signature. */
export const compile = (draft: Draft, told: Told, tables: Tables): Compiled =>
  compiled(
    draft.relayer,
    draft.conditions,
    instructions(draft, told).map(({ instruction }) => instruction),
    tables
  )

/** What a lookup table has to hold so that such a transaction fits, for messages from these chains. */
export const tabled = (
  mint: string,
  feeRecipient: string,
  origins: ReadonlyArray<{ readonly domain: number; readonly remoteToken: Uint8Array }>
): ReadonlyArray<Address> => [
  Places.fixed.receiverAuthority,
  Places.fixed.transmitter,
  Places.messengerProgram,
  SYSTEM_PROGRAM_ADDRESS,
  Places.fixed.transmitterEvents,
  Places.fixed.messenger,
  Places.fixed.minter,
  Places.localTokenOf(mint).address,
  tokenAccountOf(feeRecipient, mint),
  Places.custodyOf(mint).address,
  TOKEN_PROGRAM_ADDRESS,
  Places.fixed.messengerEvents,
  Places.fixed.senderAuthority,
  address(mint),
  ...origins.flatMap(({ domain, remoteToken }) => [
    Places.remoteMessengerOf(domain),
    Places.pairOf(domain, remoteToken).address
  ])
]
