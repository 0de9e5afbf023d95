/**
 * What the local Solana says of itself in accounts of its own, as of any slot: the time, and the newest blocks below that
 * slot. The machine executes without most of it, so it is written here from the ledger.
 */
import {
  type Address,
  getBase58Encoder,
  lamports,
  type MaybeEncodedAccount,
  type ReadonlyUint8Array
} from "@solana/kit"
import { type Block, type Ledger, toldBlocks } from "./ledger.ts"

const clock = "SysvarC1ock11111111111111111111111111111111"
const slotHashes = "SysvarS1otHashes111111111111111111111111111"
const owner = "Sysvar1111111111111111111111111111111111111" as Address

const account = (address: Address, data: Uint8Array): MaybeEncodedAccount => ({
  exists: true,
  address,
  programAddress: owner,
  executable: false,
  lamports: lamports(1n),
  space: BigInt(data.length),
  data
})

const clockAt = ({ blocks }: Ledger, slot: bigint): Uint8Array => {
  const data = new DataView(new ArrayBuffer(40))
  data.setBigUint64(0, slot, true)
  const time = blocks.findLast((block) => block.slot <= slot)?.time ?? 0n
  data.setBigInt64(32, time, true)
  return new Uint8Array(data.buffer)
}

const base58 = getBase58Encoder()

/** Of blocks that stand: each look asks for the same five hundred. */
const hashes = new WeakMap<Block, ReadonlyUint8Array>()

const hashOf = (block: Block): ReadonlyUint8Array => {
  const known = hashes.get(block)
  if (known !== undefined) return known
  const bytes = base58.encode(block.hash)
  hashes.set(block, bytes)
  return bytes
}

const hashesBelow = ({ blocks }: Ledger, slot: bigint): Uint8Array => {
  const below = blocks.filter((block) => block.slot < slot).slice(-toldBlocks)
  const bytes = new Uint8Array(8 + 40 * below.length)
  const data = new DataView(bytes.buffer)
  data.setBigUint64(0, BigInt(below.length), true)
  below.toReversed().forEach((block, at) => {
    data.setBigUint64(8 + 40 * at, block.slot, true)
    bytes.set(hashOf(block), 16 + 40 * at)
  })
  return bytes
}

/** An account of the chain's own; undefined for any other address. */
export const sysvarAt = (
  ledger: Ledger,
  address: Address,
  slot: bigint
): MaybeEncodedAccount | undefined => {
  if (address === clock) return account(address, clockAt(ledger, slot))
  return address === slotHashes ? account(address, hashesBelow(ledger, slot)) : undefined
}
