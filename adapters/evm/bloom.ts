/**
 * The bloom filter of a block's logs: it may say a block holds logs it does not hold, but never misses
 * one it does. It gives away a node that leaves out the logs of its newest blocks.
 */
import { keccak256 } from "viem/utils"

type Hex = `0x${string}`

const length = 2 + 512

interface Bit {
  /** The place of the hex digit in the filter's text. */
  readonly at: number
  readonly mask: number
}

/** The three bits an address or topic sets: eleven bits of each of the first three words of its hash. */
const bitsOf = (bytes: Hex): ReadonlyArray<Bit> => {
  const digest = keccak256(bytes).slice(2)
  return [0, 4, 8].map((start) => {
    const bit = Number.parseInt(digest.slice(start, start + 4), 16) & 2047
    return { at: length - 1 - (bit >> 2), mask: 1 << (bit & 3) }
  })
}

/** Tells of a filter whether its block may hold a log of the contract with the topic. */
export const sieve = (contract: Hex, topic: Hex): ((logsBloom: string) => boolean) => {
  const bits = [...bitsOf(contract), ...bitsOf(topic)]
  return (logsBloom) =>
    logsBloom.length === length &&
    bits.every(({ at, mask }) => (Number.parseInt(logsBloom.charAt(at), 16) & mask) !== 0)
}
