/**
 * Receipts of transactions that carry authorizations. One pays only when the token logged, in that very
 * receipt, that the authorization was used and that the amount went where it says.
 */
import { Predicate } from "effect"
import type { TransactionId } from "../../core/chains/address.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import type { Block } from "../../core/ports/chains.ts"
import { cancelledTopic, usedTopic } from "./authorization.ts"
import { amount, hex } from "./block.ts"
import { transactionOf } from "./contract.ts"
import * as Log from "./log.ts"
import type { Call } from "./rpc.ts"

export interface Receipt {
  readonly txHash: TransactionId
  readonly blockNumber: number
  readonly blockHash: string
  readonly isSuccess: boolean
  /** What its sender paid for it; a rollup tells its data fee beside the gas. Undefined where a node does not tell. */
  readonly feeWei: bigint | undefined
  readonly logs: ReadonlyArray<unknown>
}

export const ask = (txHash: string): Call => ({
  method: "eth_getTransactionReceipt",
  params: [txHash]
})

const feeIn = ({ effectiveGasPrice, gasUsed, l1Fee }: Readonly<Record<string, unknown>>) => {
  const [gas, price] = [amount(gasUsed), amount(effectiveGasPrice)]
  return gas === undefined || price === undefined ? undefined : gas * price + (amount(l1Fee) ?? 0n)
}

/** A transaction that is in no block has no receipt. */
export const decode = (answer: unknown): Receipt | undefined => {
  if (!Predicate.isObject(answer)) return undefined
  const { transactionHash, blockNumber, blockHash, status, logs } = answer
  if (typeof transactionHash !== "string" || typeof blockHash !== "string") return undefined
  if (typeof blockNumber !== "string" || !Array.isArray(logs)) return undefined
  const at = Number(blockNumber)
  if (!Number.isSafeInteger(at)) return undefined
  return {
    txHash: transactionOf(transactionHash),
    blockNumber: at,
    blockHash,
    isSuccess: status === "0x1",
    feeWei: feeIn({
      effectiveGasPrice: answer.effectiveGasPrice,
      gasUsed: answer.gasUsed,
      l1Fee: answer.l1Fee
    }),
    logs
  }
}

/** What the token says the end of an authorization of. */
export type Spent = Pick<Authorization, "token" | "from" | "nonce">

export const holderTopic = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`

/** The token's word on an authorization: whether a log is about its end, and which. */
export const endIn = (
  log: unknown,
  { token, from, nonce }: Spent
): "used" | "cancelled" | undefined => {
  if (!Predicate.isObject(log)) return undefined
  const { address, topics, removed } = log
  if (removed === true || typeof address !== "string" || address.toLowerCase() !== token) {
    return undefined
  }
  if (!Array.isArray(topics) || topics.length !== 3) return undefined
  const [topic, holder, ofNonce] = topics.map((each) => String(each).toLowerCase())
  if (holder !== holderTopic(from) || ofNonce !== nonce) return undefined
  if (topic === usedTopic) return "used"
  return topic === cancelledTopic ? "cancelled" : undefined
}

/** Asks for the token's word on the authorization in a range of blocks. */
export const askEnds = ({ token, from, nonce }: Spent, first: number, last: number): Call => ({
  method: "eth_getLogs",
  params: [
    {
      address: token,
      topics: [[usedTopic, cancelledTopic], holderTopic(from), nonce],
      fromBlock: hex(first),
      toBlock: hex(last)
    }
  ]
})

/** Whether the receipt says so of the end of an authorization. */
export const ends = ({ isSuccess, logs }: Receipt, spent: Spent, end: "used" | "cancelled") =>
  isSuccess && logs.some((log) => endIn(log, spent) === end)

/** Whether the receipt, which stands in that block, paid the authorization. */
export const pays = (receipt: Receipt, block: Block, authorization: Authorization): boolean => {
  const { token, from, to, amountMicro } = authorization
  return (
    ends(receipt, authorization, "used") &&
    receipt.logs.some((log) => {
      const moved = Log.decode(log, token, block)
      return moved?.from === from && moved.to === to && moved.amountMicro === amountMicro
    })
  )
}
