/**
 * What every trace looks at first: the head, the highest final blocks, and the receipts there are. A transfer
 * is shown and credited by a count of blocks; what gives money back or allows a second try takes a block
 * that the chain itself calls final.
 */
import { type DateTime, Effect } from "effect"
import * as Block from "./block.ts"
import * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"

export const seconds = (time: DateTime.Utc): number => Math.floor(time.epochMilliseconds / 1000)

export const inconsistent = (node: Node.Node, detail: string) =>
  Node.unavailable(node, "inconsistent", detail)

const finalizedAt = (node: Pick<Node.Node, "ask" | "connection">) =>
  Effect.map(
    node.ask([Block.ask(node.connection.finalTag ?? "finalized")]),
    ([answer]) => Block.decode(answer)?.block
  )

const headerAt = (ask: Node.Node["ask"], number: number) =>
  Effect.map(ask([Block.ask(number)]), ([answer]) => Block.decode(answer)?.block)

/**
 * The newest block that the chain itself calls final; undefined when a node does not tell. Of two nodes the one
 * that is behind decides, and both must have the same block there.
 */
export const finalizedBlock = Effect.fnUntraced(function* (node: Node.Node) {
  const { second } = node
  if (second === undefined) return yield* finalizedAt(node)
  const both = [
    finalizedAt(node),
    finalizedAt({ ask: second, connection: node.connection })
  ] as const
  const [own, other] = yield* Effect.all(both, { concurrency: "unbounded" })
  if (own === undefined || other === undefined) return undefined
  const isBehind = other.number < own.number
  const [lower, ask] = isBehind ? [other, node.ask] : [own, second]
  const same = yield* headerAt(ask, lower.number)
  if (same?.hash === lower.hash) return lower
  return yield* inconsistent(node, `two nodes have different blocks at ${lower.number}`)
})

export const survey = Effect.fnUntraced(function* (
  node: Node.Node,
  txHashes: ReadonlyArray<string>
) {
  const { confirmations, useFinalizedTag } = node.connection
  const asked = node.ask([Block.ask("latest"), ...txHashes.map(Receipt.ask)])
  const [answers, finalized] = yield* Effect.all([asked, finalizedBlock(node)], {
    concurrency: "unbounded"
  })
  const latest = Block.decode(answers[0])
  if (latest === undefined) return yield* inconsistent(node, "the node knows no latest block")
  const head = latest.block.number
  // A node that does not tell has nothing final: then nothing is given back.
  const finalizedNumber = finalized?.number ?? 0
  return {
    head,
    finalNumber: Math.max(
      0,
      head - confirmations + 1,
      useFinalizedTag === true ? finalizedNumber : 0
    ),
    finalizedNumber,
    receipts: answers.slice(1).flatMap((answer) => Receipt.decode(answer) ?? [])
  }
})

export type Survey = Effect.Success<ReturnType<typeof survey>>

/**
 * Whether a block that stands is final by the count. It is the first that counts itself, also where the head that was
 * told with it is one from before it.
 */
export const isFinal = (
  { connection }: Pick<Node.Node, "connection">,
  { finalNumber }: Pick<Survey, "finalNumber">,
  { number }: { readonly number: number }
): boolean => number <= finalNumber || connection.confirmations <= 1

/** The block of a receipt, when the node's chain still has it. */
export const blockOf = Effect.fnUntraced(function* (node: Node.Node, receipt: Receipt.Receipt) {
  const [header] = yield* Node.headers(node, [receipt.blockNumber])
  if (header?.block.hash === receipt.blockHash) return header.block
  return yield* inconsistent(node, `the receipt of ${receipt.txHash} is of no block that stands`)
})

/** The newest block that is final, as the node tells it now. */
export const finalBlock = Effect.fnUntraced(function* (node: Node.Node, finalNumber: number) {
  const [header] = yield* Node.headers(node, [finalNumber])
  return header?.block ?? (yield* inconsistent(node, `block ${finalNumber} is missing`))
})

/** A transaction of the known ones that is in a block that stands and did nothing. */
export const reverted = Effect.fnUntraced(function* (node: Node.Node, surveyed: Survey) {
  const receipt = surveyed.receipts.find(({ isSuccess }) => !isSuccess)
  if (receipt === undefined) return undefined
  const block = yield* blockOf(node, receipt)
  return {
    _tag: "reverted" as const,
    txHash: receipt.txHash,
    isFinal: isFinal(node, surveyed, block)
  }
})

/** Clocks differ: nothing is sought before the first transaction was signed, less this. */
const clocksDifferSeconds = 3600
/** With no transaction written down, authorizations are taken to be no older than this. */
const oldestSeconds = 7 * 24 * 3600

/** From when on somebody else can have used an authorization, in Unix seconds. */
export const usableSince = (
  { validBefore }: { readonly validBefore: number },
  attempts: ReadonlyArray<{ readonly at: DateTime.Utc }>
): number => {
  const [first] = attempts
  return first === undefined ? validBefore - oldestSeconds : seconds(first.at) - clocksDifferSeconds
}
