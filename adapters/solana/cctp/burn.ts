/**
 * The transaction that burns: the mark is made and the messenger burns for a receiver on another chain, all or nothing.
 * Wallet, relayer and a key that is used once sign it; that key is the account which keeps the message for the attesters.
 */
import { createHash } from "node:crypto"
import {
  AccountRole,
  type Address,
  address,
  createKeyPairSignerFromPrivateKeyBytes,
  type Instruction,
  signBytes
} from "@solana/kit"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import { TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { Effect } from "effect"
import type { Burn } from "../../../core/solana/burn.ts"
import type { Bid, Conditions } from "../../../core/solana/relay.ts"
import { tokenAccountOf } from "../derived.ts"
import type { Tables } from "../lookup-table.ts"
import * as Mark from "../mark.ts"
import { as, budget, type Compiled, compiled, type Step } from "../transaction.ts"
import * as Places from "./places.ts"

const depositForBurnWithHook = [0x6f, 0xf5, 0x3e, 0x83, 0xcc, 0x6c, 0xdf, 0x9b]
const fixedBytes = 100
const hookBytes = 32

export interface Draft {
  readonly burn: Burn
  readonly mark: Address
  /** The account that keeps the message. */
  readonly event: Address
  readonly mint: string
  readonly relayer: string
  readonly bid: Bid
  readonly conditions: Pick<Conditions, "blockhash" | "lastValidBlockHeight" | "markLamports">
}

export interface EventKey {
  readonly address: Address
  readonly sign: (bytes: Uint8Array) => Promise<Uint8Array>
}

/** The key of the message's account: another one under each block, and nobody's to guess before it is used. */
export const eventKey = (
  { identity }: Pick<Burn, "identity">,
  blockhash: string
): Effect.Effect<EventKey> =>
  Effect.promise(async () => {
    const seed = createHash("sha256").update(`message of ${identity} under ${blockhash}`).digest()
    const signer = await createKeyPairSignerFromPrivateKeyBytes(Uint8Array.from(seed))
    return {
      address: signer.address,
      sign: (bytes: Uint8Array) => signBytes(signer.keyPair.privateKey, bytes)
    }
  })

const dataOf = ({ amount, domain, identity, maxFeeUnits, minFinality, recipient }: Burn) => {
  const data = Buffer.alloc(fixedBytes + hookBytes)
  data.set(depositForBurnWithHook)
  data.writeBigUInt64LE(amount.units, 8)
  data.writeUInt32LE(domain, 16)
  data.set(Places.bytesOf(recipient), 20)
  // Whoever likes may bring it.
  data.writeBigUInt64LE(maxFeeUnits, 84)
  data.writeUInt32LE(minFinality, 92)
  data.writeUInt32LE(hookBytes, 96)
  data.set(Buffer.from(identity, "hex"), fixedBytes)
  return Uint8Array.from(data)
}

/** What an instruction burns; undefined when it is no burn with a hook of ours. */
export const burntBy = ({
  accounts,
  data,
  program
}: {
  readonly program: string
  readonly accounts: ReadonlyArray<string>
  readonly data: Uint8Array
}) => {
  const bytes = Buffer.from(data)
  const isBurn =
    program === Places.messengerProgram &&
    bytes.length === fixedBytes + hookBytes &&
    bytes.subarray(0, 8).equals(Buffer.from(depositForBurnWithHook)) &&
    bytes.readUInt32LE(96) === hookBytes
  if (!isBurn) return undefined
  return {
    owner: accounts[0] ?? "",
    mint: accounts[10] ?? "",
    units: bytes.readBigUInt64LE(8),
    domain: bytes.readUInt32LE(16),
    recipient: Places.hexOf(bytes.subarray(20, 52)),
    caller: bytes.subarray(52, 84),
    maxFeeUnits: bytes.readBigUInt64LE(84),
    minFinality: bytes.readUInt32LE(92),
    identity: bytes.subarray(fixedBytes).toString("hex")
  }
}

const readable = (each: string) => ({ address: address(each), role: AccountRole.READONLY })
const writable = (each: string) => ({ address: address(each), role: AccountRole.WRITABLE })
const signing = (each: string) => ({ address: address(each), role: AccountRole.READONLY_SIGNER })
const paying = (each: string) => ({ address: address(each), role: AccountRole.WRITABLE_SIGNER })

const burning = ({ burn, event, mint, relayer }: Draft): Instruction => {
  const { fixed, messengerProgram, transmitterProgram } = Places
  return {
    programAddress: messengerProgram,
    data: dataOf(burn),
    accounts: [
      signing(burn.from),
      paying(relayer),
      readable(fixed.senderAuthority),
      writable(tokenAccountOf(burn.from, mint)),
      readable(Places.denylistEntryOf(burn.from)),
      writable(fixed.transmitter),
      readable(fixed.messenger),
      readable(Places.remoteMessengerOf(burn.domain)),
      readable(fixed.minter),
      writable(Places.localTokenOf(mint).address),
      writable(mint),
      paying(event),
      readable(transmitterProgram),
      readable(messengerProgram),
      readable(TOKEN_PROGRAM_ADDRESS),
      readable(SYSTEM_PROGRAM_ADDRESS),
      readable(fixed.messengerEvents),
      readable(messengerProgram)
    ]
  }
}

/** In order; the place of one in this list is its index in the transaction. */
export const instructions = (draft: Draft): ReadonlyArray<Step> => {
  const { bid, burn, conditions, mark, relayer } = draft
  const marking = Mark.making(mark, burn, { relayer, lamports: conditions.markLamports })
  return [...budget(bid), ...marking.map(as("mark")), as("burn")(burning(draft))]
}

/** What is signed, with an empty place for each signature. */
export const compile = (draft: Draft, tables: Tables): Compiled =>
  compiled(
    draft.relayer,
    draft.conditions,
    instructions(draft).map(({ instruction }) => instruction),
    tables
  )
