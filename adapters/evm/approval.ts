/**
 * ERC-20 Approval logs, read from their raw topics. Whatever contract wrote one, it is only a hint: what
 * a spender may take is what the token answers when it is asked.
 */
import { Predicate } from "effect"
import type { TransactionId } from "../../core/chains/address.ts"
import type { Permission } from "../../core/ports/holdings.ts"
import { hex } from "./block.ts"
import { keyOf, transactionOf } from "./contract.ts"
import type { Call } from "./rpc.ts"

/** keccak256("Approval(address,address,uint256)") */
const approvalTopic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925"

const addressTopic = /^0x0{24}[0-9a-f]{40}$/u
const word = /^0x[0-9a-f]{64}$/u
const hash = word

export const topicOf = (address: string): string =>
  `0x${address.slice(2).toLowerCase().padStart(64, "0")}`

/** One approval as a contract logged it. */
export interface Logged extends Permission {
  readonly amount: bigint
  readonly txHash: TransactionId
  readonly blockNumber: number
  readonly blockHash: string
}

/** Asks for approvals by owners in a range of blocks, of one token and spender or of any. */
export const ask = (
  owners: ReadonlyArray<string>,
  first: number,
  last: number,
  only: { readonly token?: string; readonly spender?: string } = {}
): Call => ({
  method: "eth_getLogs",
  params: [
    {
      ...(only.token === undefined ? {} : { address: only.token }),
      topics: [
        approvalTopic,
        owners.map(topicOf),
        ...(only.spender === undefined ? [] : [topicOf(only.spender)])
      ],
      fromBlock: hex(first),
      toBlock: hex(last)
    }
  ]
})

const textOf = (value: unknown): string => (typeof value === "string" ? value.toLowerCase() : "")

/** Reads a log as an ERC-20 approval; the one of an NFT has a topic more and is none. */
export const decode = (log: unknown): Logged | undefined => {
  if (!Predicate.isObject(log) || log.removed === true) return undefined
  const { topics } = log
  if (!Array.isArray(topics) || topics.length !== 3) return undefined
  const [topic, owner, spender] = topics.map(textOf) as [string, string, string]
  const [token, data] = [textOf(log.address), textOf(log.data)]
  const [txHash, blockHash] = [textOf(log.transactionHash), textOf(log.blockHash)]
  const blockNumber = Number(log.blockNumber)
  const isRead =
    topic === approvalTopic &&
    addressTopic.test(owner) &&
    addressTopic.test(spender) &&
    word.test(data) &&
    hash.test(txHash) &&
    hash.test(blockHash) &&
    Number.isSafeInteger(blockNumber)
  if (!isRead) return undefined
  return {
    token: keyOf(token),
    owner: keyOf(`0x${owner.slice(26)}`),
    spender: keyOf(`0x${spender.slice(26)}`),
    amount: BigInt(data),
    txHash: transactionOf(txHash),
    blockNumber,
    blockHash
  }
}
