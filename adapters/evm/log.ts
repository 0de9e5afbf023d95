/**
 * ERC-20 Transfer logs, read from their raw topics. Only a log of exactly the asked contract, topic and
 * shape is a transfer; whatever else a node hands over is not money.
 */
import { Predicate } from "effect"
import type { Block, Transferred } from "../../core/ports/chains.ts"
import { hex } from "./block.ts"
import type { Call } from "./rpc.ts"

/** keccak256("Transfer(address,address,uint256)") */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const filter = (token: string) => ({ address: token, topics: [transferTopic] })

/** Asks for the token's transfers in a range of blocks. */
export const askBetween = (token: string, first: number, last: number): Call => ({
  method: "eth_getLogs",
  params: [{ ...filter(token), fromBlock: hex(first), toBlock: hex(last) }]
})

/** Asks for the token's transfers in one block; a node that has not the block must refuse (EIP-234). */
export const askWithin = (token: string, blockHash: string): Call => ({
  method: "eth_getLogs",
  params: [{ ...filter(token), blockHash }]
})

const addressTopic = /^0x0{24}[0-9a-f]{40}$/iu
const word = /^0x[0-9a-f]{64}$/iu

/** The hash of the block a log claims to be in. */
export const blockHashOf = (log: unknown): unknown =>
  Predicate.hasProperty(log, "blockHash") ? log.blockHash : undefined

/** Reads a log as a transfer of the token in that block, or as nothing. */
export const decode = (log: unknown, token: string, block: Block): Transferred | undefined => {
  if (!Predicate.isObject(log)) return undefined
  const { address, topics, data, transactionHash, logIndex, removed } = log
  if (removed === true || typeof address !== "string" || address.toLowerCase() !== token) {
    return undefined
  }
  if (!Array.isArray(topics) || topics.length !== 3) return undefined
  const [topic, from, to] = topics
  if (typeof topic !== "string" || topic.toLowerCase() !== transferTopic) return undefined
  if (typeof from !== "string" || !addressTopic.test(from)) return undefined
  if (typeof to !== "string" || !addressTopic.test(to)) return undefined
  if (typeof data !== "string" || !word.test(data)) return undefined
  if (typeof transactionHash !== "string" || !word.test(transactionHash)) return undefined
  const index = Number(logIndex)
  if (typeof logIndex !== "string" || !Number.isSafeInteger(index)) return undefined
  return {
    txHash: transactionHash.toLowerCase(),
    logIndex: index,
    block,
    from: `0x${from.slice(26).toLowerCase()}`,
    to: `0x${to.slice(26).toLowerCase()}`,
    amountMicro: BigInt(data)
  }
}
