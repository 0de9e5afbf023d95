/** Block headers as a node tells them; one that is absent or malformed is no block. */
import { DateTime, Predicate } from "effect"
import type { Block } from "../../core/ports/chains.ts"
import type { Call } from "./rpc.ts"

export interface Header {
  readonly block: Block
  readonly parentHash: string
  readonly logsBloom: string
}

export const hex = (value: number): string => `0x${value.toString(16)}`

/** A number of the chain, of any size; undefined when the answer is none. */
export const amount = (answer: unknown): bigint | undefined =>
  typeof answer === "string" && /^0x[0-9a-f]{1,64}$/iu.test(answer) ? BigInt(answer) : undefined

const hash = /^0x[0-9a-f]{64}$/u

export const decode = (answer: unknown): Header | undefined => {
  if (!Predicate.isObject(answer)) return undefined
  const { number, hash: ownHash, parentHash, timestamp, logsBloom } = answer
  if (typeof ownHash !== "string" || !hash.test(ownHash)) return undefined
  if (typeof parentHash !== "string" || !hash.test(parentHash)) return undefined
  const at = Number(number)
  const seconds = Number(timestamp)
  if (!Number.isSafeInteger(at) || !Number.isSafeInteger(seconds)) return undefined
  return {
    block: { number: at, hash: ownHash, timestamp: DateTime.makeUnsafe(seconds * 1000) },
    parentHash,
    logsBloom: typeof logsBloom === "string" ? logsBloom : ""
  }
}

/** Asks for the header of a block by number or tag. */
export const ask = (at: number | "latest" | "finalized" | "safe"): Call => ({
  method: "eth_getBlockByNumber",
  params: [typeof at === "number" ? hex(at) : at, false]
})
