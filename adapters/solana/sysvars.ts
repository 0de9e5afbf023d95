/**
 * What a Solana chain says of itself in accounts of its own: the newest blocks with their hashes, and the time. They
 * are read together with balances, so that both are of one slot.
 */
import * as Base58 from "../../core/encoding/base58.ts"

export const clock = "SysvarC1ock11111111111111111111111111111111"
export const slotHashes = "SysvarS1otHashes111111111111111111111111111"

const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength)

const unixTimeAt = 32

/** The time of the block, Unix seconds; undefined when it is no clock. */
export const secondsIn = (data: Uint8Array): number | undefined =>
  data.length >= unixTimeAt + 8 ? Number(viewOf(data).getBigInt64(unixTimeAt, true)) : undefined

export interface KnownBlock {
  readonly number: number
  readonly hash: string
}

const lengthBytes = 8
const entryBytes = 40

/** How many bytes hold so many blocks. */
export const bytesFor = (blocks: number): number => lengthBytes + blocks * entryBytes

/** The blocks below the one that says so, oldest first. */
export const blocksIn = (data: Uint8Array): ReadonlyArray<KnownBlock> => {
  if (data.length < lengthBytes) return []
  const view = viewOf(data)
  const told = Number(view.getBigUint64(0, true))
  const count = Math.min(told, Math.floor((data.length - lengthBytes) / entryBytes))
  return Array.from({ length: count }, (_, at) => {
    const start = lengthBytes + at * entryBytes
    return {
      number: Number(view.getBigUint64(start, true)),
      hash: Base58.encode(data.subarray(start + 8, start + entryBytes))
    }
  }).reverse()
}
