/**
 * ERC-20 Transfer logs, read from their raw topics. Only a log of exactly the asked contract, topic and
 * shape is a transfer; whatever else a node hands over is not money.
 */
import { Predicate } from "effect"
import * as Usdc from "../../core/money/usdc.ts"
import type { Block, TransferLog } from "../../core/ports/chains.ts"
import { hex } from "./block.ts"
import { keyOf, transactionOf } from "./contract.ts"
import type { Call } from "./rpc.ts"

/** keccak256("Transfer(address,address,uint256)") */
export const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

/** keccak256("AuthorizationUsed(address,bytes32)") */
export const authorizationTopic =
  "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5"

const filter = (token: string) => ({
  address: token,
  topics: [[transferTopic, authorizationTopic]]
})

/** Asks for the token's transfers in a range of blocks, and for the authorizations used for them. */
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
export const decode = (log: unknown, token: string, block: Block): TransferLog | undefined => {
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
    txHash: transactionOf(transactionHash),
    logIndex: index,
    block,
    from: keyOf(`0x${from.slice(26)}`),
    to: keyOf(`0x${to.slice(26)}`),
    amountMicro: Usdc.make(BigInt(data))
  }
}

/** Under which nonce who moved money, by the place of the log that says it was moved. */
export type Authorized = ReadonlyMap<string, { readonly from: string; readonly nonce: string }>

const place = (txHash: string, logIndex: number): string => `${txHash} ${logIndex}`

/**
 * The authorizations that logs tell of. Circle's contract logs the use of one right before the transfer it
 * is for, so the transfer is the very next log.
 */
export const authorizations = (logs: ReadonlyArray<unknown>, token: string): Authorized => {
  const found = new Map<string, { readonly from: string; readonly nonce: string }>()
  for (const log of logs) {
    if (!Predicate.isObject(log) || log.removed === true) continue
    const { address, topics, transactionHash, logIndex } = log
    if (typeof address !== "string" || address.toLowerCase() !== token) continue
    if (!Array.isArray(topics) || topics.length !== 3) continue
    const [topic, from, nonce] = topics.map((each) => String(each).toLowerCase())
    if (topic !== authorizationTopic || from === undefined || !addressTopic.test(from)) continue
    if (nonce === undefined || !word.test(nonce) || typeof transactionHash !== "string") continue
    found.set(place(transactionHash.toLowerCase(), Number(logIndex) + 1), {
      from: `0x${from.slice(26)}`,
      nonce
    })
  }
  return found
}

/** The transfer with the nonce of the authorization it was made under, if it was. */
export const authorized = (transferred: TransferLog, by: Authorized): TransferLog => {
  const used = by.get(place(transferred.txHash, transferred.logIndex))
  return used?.from === transferred.from ? { ...transferred, signedAs: used.nonce } : transferred
}
