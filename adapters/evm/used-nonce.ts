/**
 * By which transaction an account used one of its nonces. Nodes keep no list of an account's transactions, so the
 * block is found by the account's count in older blocks, from the newest back. A node that has forgotten those has the
 * logs still, and a transaction found by them counts only with its sender and its nonce.
 */
import { Effect, Predicate } from "effect"
import type { NonceOf, ToldNonce, UsedNonce } from "../../core/evm/call.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import * as Block from "./block.ts"
import { keyOf, transactionOf } from "./contract.ts"
import { transferTopic } from "./log.ts"
import * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"
import type { RpcFailed } from "./rpc.ts"
import * as SoughtLogs from "./sought-logs.ts"
import { blockOf, inconsistent, seconds, survey } from "./survey.ts"

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

/** The block in which the count passed the nonce, or the oldest that the node knows to be no earlier. */
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
    if (count === undefined) return { number: high, isExact: false }
    if (count > nonce) high = before
    else low = before
    if (before === 0) break
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    const count = yield* countAt(node, sender, middle)
    if (count === undefined) return { number: high, isExact: false }
    if (count > nonce) high = middle
    else low = middle
  }
  return { number: high, isExact: true }
})

interface Mined {
  readonly hash: string
  readonly to: string | null
  readonly input: string
  readonly value: bigint
}

const transactionAmong = (
  all: ReadonlyArray<unknown>,
  { nonce, sender }: NonceOf
): Mined | undefined => {
  for (const each of all) {
    if (!Predicate.isObject(each)) continue
    const { from, hash, input, nonce: at, to, value } = each
    if (typeof from !== "string" || from.toLowerCase() !== sender || Number(at) !== nonce) continue
    if (typeof hash !== "string" || typeof input !== "string") continue
    const wei = Block.amount(value) ?? 0n
    return { hash, to: typeof to === "string" ? to : null, input: input.toLowerCase(), value: wei }
  }
  return undefined
}

const transactionIn = Effect.fnUntraced(function* (node: Node.Node, of: NonceOf, number: number) {
  const [block] = yield* node.ask([
    { method: "eth_getBlockByNumber", params: [Block.hex(number), true] }
  ])
  const all = Predicate.hasProperty(block, "transactions") ? block.transactions : []
  const mined = transactionAmong(Array.isArray(all) ? all : [], of)
  return (
    mined ??
    (yield* inconsistent(node, `block ${number} has no transaction ${of.nonce} of its sender`))
  )
})

/** Longer than a promotion or a restored backup takes; what is older needs a node that keeps old states. */
const soughtSeconds = 2 * 24 * 3600
const transactionsAtOnce = 50
const nobody = `0x${"0".repeat(64)}`

/** What the account moved or allowed, and the USDC that was minted for it. */
const asksFor = ({ connection }: Node.Node, { sender }: NonceOf) => {
  const whose = Receipt.holderTopic(sender)
  const filters = [
    { topics: [null, whose] },
    { address: connection.usdc, topics: [transferTopic, nobody, whose] }
  ]
  return filters.map((filter) => (first: number, last: number) => ({
    method: "eth_getLogs",
    params: [{ ...filter, fromBlock: Block.hex(first), toBlock: Block.hex(last) }]
  }))
}

const hashIn = (log: unknown): ReadonlyArray<string> =>
  Predicate.hasProperty(log, "transactionHash") && typeof log.transactionHash === "string"
    ? [log.transactionHash]
    : []

/** The transaction among those that left a log in a range of blocks. */
const amongLogged = Effect.fnUntraced(function* (
  node: Node.Node,
  of: NonceOf,
  range: { readonly first: number; readonly last: number }
) {
  const hashes = new Set<string>()
  for (const ask of asksFor(node, of)) {
    for (const log of yield* SoughtLogs.all(node, ask, range)) {
      for (const hash of hashIn(log)) hashes.add(hash)
    }
  }
  const all = [...hashes]
  for (let at = 0; at < all.length; at += transactionsAtOnce) {
    const some = all.slice(at, at + transactionsAtOnce)
    const found = transactionAmong(
      yield* node.ask(some.map((hash) => ({ method: "eth_getTransactionByHash", params: [hash] }))),
      of
    )
    if (found !== undefined) return found
  }
  return undefined
})

/** From the newest block back, as what is sought was lost a moment ago; undefined when it left no log. */
const byLogs = (node: Node.Node, of: NonceOf, newest: number) =>
  Effect.gen(function* () {
    const [header] = yield* Node.headers(node, [newest])
    if (header === undefined) return undefined
    const since = seconds(header.block.timestamp) - soughtSeconds
    const oldest = yield* SoughtLogs.lastBefore(node, newest, since)
    const span = SoughtLogs.spanOf(node)
    for (let last = newest; last >= oldest; last -= span) {
      const first = Math.max(oldest, last - span + 1)
      const found = yield* amongLogged(node, of, { first, last })
      if (found !== undefined) return found
    }
    return undefined
  }).pipe(
    // Some nodes answer no question about the logs of all contracts.
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "refused" ? Effect.undefined : Effect.fail(failed)
    )
  )

const sameHash = (one: unknown, other: string): boolean =>
  typeof one === "string" && one.toLowerCase() === other.toLowerCase()

/** Whether a node has something else in the place of a transaction; what it does not know contradicts nothing. */
const contradicts = (
  [block, transaction, receipt]: ReadonlyArray<unknown>,
  told: ToldNonce
): boolean => {
  const header = Block.decode(block)
  if (header === undefined || !Predicate.hasProperty(block, "transactions")) return false
  if (!sameHash(header.block.hash, told.blockHash)) return true
  const hashes = Array.isArray(block.transactions) ? block.transactions : []
  if (!hashes.some((hash) => sameHash(hash, told.txId))) return true
  const mined = transactionAmong([transaction], told)
  if (Predicate.isObject(transaction) && mined === undefined) return true
  if (mined !== undefined) {
    const to = mined.to === null ? null : keyOf(mined.to)
    if (to !== told.to || mined.input !== told.data || mined.value !== told.value) return true
  }
  const decoded = Receipt.decode(receipt)
  return decoded !== undefined && decoded.isSuccess !== told.isSuccess
}

const contradictedBy = (ask: Node.Node["ask"]) => (told: ToldNonce) =>
  ask([
    Block.ask(told.blockNumber),
    { method: "eth_getTransactionByHash", params: [told.txId] },
    Receipt.ask(told.txId)
  ]).pipe(
    Effect.map((answers) => contradicts(answers, told)),
    // It keeps no blocks that are so old.
    Effect.catchTag("RpcFailed", (failed) =>
      failed.reason === "refused" || failed.reason === "absent"
        ? Effect.succeed(false)
        : Effect.fail(failed)
    )
  )

/** Of each whether a node, either of them where there are two, has something else in its place. */
export const contradicted = (
  node: Node.Node,
  all: ReadonlyArray<ToldNonce>
): Effect.Effect<ReadonlyArray<boolean>, RpcFailed | ChainUnavailable> => {
  const nodes = [node.ask, ...(node.second === undefined ? [] : [node.second])]
  return Effect.forEach(
    all,
    (told) =>
      Effect.map(
        Effect.forEach(nodes, (ask) => contradictedBy(ask)(told), { concurrency: "unbounded" }),
        (each) => each.includes(true)
      ),
    { concurrency: "unbounded" }
  )
}

export const usedBy = (
  node: Node.Node,
  of: NonceOf
): Effect.Effect<UsedNonce | undefined, RpcFailed | ChainUnavailable> =>
  Effect.gen(function* () {
    const { finalizedNumber, head } = yield* survey(node, [])
    const { isExact, number } = yield* blockThatUsed(node, of, head)
    const mined = yield* isExact ? transactionIn(node, of, number) : byLogs(node, of, number)
    if (mined === undefined) return undefined
    const [receipt] = (yield* survey(node, [mined.hash])).receipts
    if (receipt === undefined) {
      return yield* inconsistent(node, `there is no receipt of ${mined.hash}`)
    }
    const { hash } = yield* blockOf(node, receipt)
    const used: UsedNonce = {
      txId: transactionOf(mined.hash),
      blockNumber: receipt.blockNumber,
      blockHash: hash,
      to: mined.to === null ? null : keyOf(mined.to),
      data: mined.input,
      value: mined.value,
      isSuccess: receipt.isSuccess,
      isFinal: receipt.blockNumber <= finalizedNumber
    }
    const { second } = node
    if (second === undefined) return used
    const isContradicted = yield* contradictedBy(second)({ ...of, ...used })
    return isContradicted
      ? yield* inconsistent(node, `the other node has something else in the place of ${used.txId}`)
      : used
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

/** Of the newest block, of each sender. */
export const countsAtNewest = Effect.fnUntraced(function* (
  node: Node.Node,
  senders: ReadonlyArray<string>
) {
  const answers = yield* node.ask(
    senders.map((sender) => ({ method: "eth_getTransactionCount", params: [sender, "latest"] }))
  )
  const counts = answers.map(Block.amount)
  if (counts.every((count) => count !== undefined)) return counts.map(Number)
  return yield* inconsistent(node, "the node does not tell how many transactions there are")
})

/** Of the newest block. */
export const countAtNewest = (node: Node.Node, sender: string) =>
  Effect.map(countsAtNewest(node, [sender]), ([count = 0]) => count)
