/**
 * Words of 32 bytes, of which what a contract is told and what a wallet signs of it consist: put together as text where
 * every send says the same ones. Nothing is cut to fit; what is no such value is a fault of ours.
 */
import { keccak256, toFunctionSelector } from "viem/utils"

type Hex = `0x${string}`

const digitsIn = 64
const maxUint = 2n ** 256n

/** Hex of so many bytes without its head. */
const digitsOf = (hex: string, bytes: number): string => {
  if (hex.length !== 2 + 2 * bytes || !/^0x[0-9a-f]*$/iu.test(hex)) {
    throw new Error(`This is no hex of ${bytes} bytes: ${hex.slice(0, 80)}`)
  }
  return hex.slice(2).toLowerCase()
}

export const ofAddress = (address: string): string => digitsOf(address, 20).padStart(digitsIn, "0")

export const ofBytes32 = (bytes: string): string => digitsOf(bytes, 32)

export const ofUint = (value: bigint): string => {
  if (value < 0n || value >= maxUint) throw new Error(`This is no uint256: ${value}`)
  return value.toString(16).padStart(digitsIn, "0")
}

/** What a call says of a function, before the words of its arguments. */
export const selectorOf = (signature: string): Hex => toFunctionSelector(signature)

/** The last argument of a call, where it is bytes and this many words stand before it with its own place. */
export const lastBytes = (hex: string, before: number): readonly [place: string, bytes: string] => {
  const length = hex.length / 2 - 1
  const digits = digitsOf(hex, length)
  const padded = digits.padEnd(Math.ceil(length / 32) * digitsIn, "0")
  return [ofUint(BigInt(before * 32)), `${ofUint(BigInt(length))}${padded}`]
}

export const hashOf = (digits: string): Hex => keccak256(Buffer.from(digits, "hex"))

/** What is signed of a struct under a domain (EIP-712), by the hash of its type and its words. */
export const digestOf = (separator: Hex, typeHash: Hex, words: ReadonlyArray<string>): Hex => {
  const struct = hashOf(`${ofBytes32(typeHash)}${words.join("")}`)
  return hashOf(`1901${ofBytes32(separator)}${ofBytes32(struct)}`)
}
