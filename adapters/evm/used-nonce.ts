/**
 * By which transaction an account used one of its nonces. Nodes keep no list of an account's transactions, so the
 * block is found by the account's count in older blocks, from the newest back; a node that has forgotten those
 * cannot tell.
 */
import { Effect, Predicate } from "effect"
import type { UsedNonce } from "../../core/evm/call.ts"
import type { NonceOf } from "../../core/evm/call-relay.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import * as Block from "./block.ts"
import { keyOf, transactionOf } from "./contract.ts"
import type * as Node from "./node.ts"
import type { RpcFailed } from "./rpc.ts"
import { blockOf, inconsistent, survey } from "./survey.ts"

const firstStep = 64

/** How many transactions of the sender stand in blocks up to this one; undefined when the node has forgotten it. */
const countAt = (node: Node.Node, sender: string, block: number) =>
  node.ask([{ method: "eth_getTransactionCount", params: [sender, Block.hex(block)] }]).pipe(
    Effect.map(([answer]) => {
      const count = Block.amount(answer)
      return count === undefined ? undefined : Number(count)
    }),
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "refused" || failed.reason === "absent"
        ? Effect.undefined
        : Effect.fail(failed)
    )
  )

/** The block in which the count passed the nonce: it has at most `low` before, and more in `high`. */
const blockThatUsed = Effect.fnUntraced(function* (
  node: Node.Node,
  { nonce, sender }: NonceOf,
  head: number
) {
  let high = head
  let low = -1
  for (let step = firstStep; low < 0 && high > 0; step *= 8) {
    const before = Math.max(0, head - step)
    const count = yield* countAt(node, sender, before)
    if (count === undefined) return undefined
    if (count > nonce) high = before
    else low = before
    if (before === 0) break
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const count = yield* countAt(node, sender, middle)
    if (count === undefined) return undefined
    if (count > nonce) high = middle
    else low = middle
  }
  return high
})

interface Mined {
  readonly hash: string
  readonly to: string | null
  readonly input: string
  readonly value: bigint
}

const transactionIn = (block: unknown, { nonce, sender }: NonceOf): Mined | undefined => {
  const all = Predicate.hasProperty(block, "transactions") ? block.transactions : []
  for (const each of Array.isArray(all) ? all : []) {
    if (!Predicate.isObject(each)) continue
    const { from, hash, input, nonce: at, to, value } = each
    if (typeof from !== "string" || from.toLowerCase() !== sender || Number(at) !== nonce) continue
    if (typeof hash !== "string" || typeof input !== "string") continue
    const wei = Block.amount(value) ?? 0n
    return { hash, to: typeof to === "string" ? to : null, input: input.toLowerCase(), value: wei }
  }
  return undefined
}

export const usedBy = (
  node: Node.Node,
  of: NonceOf
): Effect.Effect<UsedNonce | undefined, RpcFailed | ChainUnavailable> =>
  Effect.gen(function* () {
    const { finalizedNumber, head } = yield* survey(node, [])
    const number = yield* blockThatUsed(node, of, head)
    if (number === undefined) return undefined
    const [block] = yield* node.ask([
      { method: "eth_getBlockByNumber", params: [Block.hex(number), true] }
    ])
    const mined = transactionIn(block, of)
    if (mined === undefined) {
      return yield* inconsistent(
        node,
        `block ${number} has no transaction ${of.nonce} of its sender`
      )
    }
    const [receipt] = (yield* survey(node, [mined.hash])).receipts
    if (receipt === undefined) {
      return yield* inconsistent(node, `there is no receipt of ${mined.hash}`)
    }
    yield* blockOf(node, receipt)
    return {
      txId: transactionOf(mined.hash),
      to: mined.to === null ? null : keyOf(mined.to),
      data: mined.input,
      value: mined.value,
      isSuccess: receipt.isSuccess,
      isFinal: receipt.blockNumber <= finalizedNumber
    }
  })

/** The receipts of the known transactions first; where there is none, the sender's count decides. */
export const traceNonce = (
  node: Node.Node,
  { nonce, sender }: NonceOf,
  txHashes: ReadonlyArray<string>
) =>
  Effect.gen(function* () {
    const { finalizedNumber, receipts } = yield* survey(node, txHashes)
    const [receipt] = receipts
    if (receipt !== undefined) {
      yield* blockOf(node, receipt)
      const { blockHash, blockNumber, isSuccess, txHash } = receipt
      return {
        _tag: "mined" as const,
        txHash,
        blockHash,
        isSuccess,
        isFinal: blockNumber <= finalizedNumber
      }
    }
    const mined = yield* countAtNewest(node, sender)
    if (mined <= nonce) return { _tag: "unused" as const }
    const atFinal = yield* countAt(node, sender, finalizedNumber)
    return { _tag: "used_elsewhere" as const, isFinal: (atFinal ?? 0) > nonce }
  })

/** Of the newest block. */
export const countAtNewest = Effect.fnUntraced(function* (node: Node.Node, sender: string) {
  const [answer] = yield* node.ask([
    { method: "eth_getTransactionCount", params: [sender, "latest"] }
  ])
  const count = Block.amount(answer)
  if (count !== undefined) return Number(count)
  return yield* inconsistent(node, "the node does not tell how many transactions there are")
})
