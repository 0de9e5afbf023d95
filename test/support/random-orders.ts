/**
 * Orders that follow from a seed and a number, of every size of amount and on every EVM chain, each with a key of its
 * own, and what is compared of them with CoW Protocol's own library.
 */
import { createHash } from "node:crypto"
import { chains } from "../../core/chains/chain.ts"
import type { SwapOrder } from "../../core/ports/swap-venue.ts"

const evm = chains.filter(({ family }) => family === "evm")

/** So many bytes that follow from the seed, an order's number and what they are for. */
const bytes = (seed: string, number: number, what: string, length: number): `0x${string}` => {
  const hash = createHash("shake256", { outputLength: length })
  return `0x${hash.update(`${seed} ${number} ${what}`).digest("hex")}`
}

/** The private key of an order's owner; no other order's. */
export const keyAt = (seed: string, number: number) => bytes(seed, number, "owner", 32)

export const orderAt = (seed: string, number: number, owner: string): SwapOrder => {
  const key = (what: string) => bytes(seed, number, what, 20) as string as SwapOrder["sell"]
  // Every size of amount, the smallest and the largest among them.
  const amount = (what: string) => BigInt(bytes(seed, number, what, (number % 32) + 1))
  return {
    identity: bytes(seed, number, "identity", 32).slice(2),
    chainId: evm[number % evm.length]?.id ?? "",
    owner: owner.toLowerCase() as SwapOrder["owner"],
    receiver: key("receiver"),
    sell: key("sell"),
    sellAmount: amount("sellAmount"),
    buy: key("buy"),
    minBuyAmount: amount("minBuyAmount"),
    validTo: Number(BigInt(bytes(seed, number, "validTo", 4)))
  }
}

/** What an order comes to: its digest, its uid and its owner's signature, in hex. */
export interface Made {
  readonly digest: string
  readonly uid: string
  readonly signature: string
}

/** One hash over all of them, in their order. */
export const hashOf = (all: ReadonlyArray<Made>): string => {
  const lines = all.map(({ digest, signature, uid }) => [digest, uid, signature].join(" "))
  return createHash("sha256").update(lines.join("\n").toLowerCase()).digest("hex")
}
