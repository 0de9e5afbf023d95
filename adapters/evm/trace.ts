/**
 * What the chain says became of a send. That it was paid takes the token's own logs in a block that
 * stands; that it never will takes a final block later than the authorization lasts.
 */
import { DateTime, Effect } from "effect"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Trace } from "../../core/ports/payouts.ts"
import type { Authorization, Carrier } from "../../core/proposals/execution.ts"
import * as Authorizations from "./authorization.ts"
import * as Block from "./block.ts"
import * as Ending from "./ending.ts"
import * as Node from "./node.ts"
import * as Receipt from "./receipt.ts"
import type { RpcFailed } from "./rpc.ts"

const repeatsWhenInconsistent = 3
/** Clocks differ: nothing is sought before the first transaction was signed, less this. */
const clocksDifferSeconds = 3600
/** With no transaction written down, authorizations are taken to be no older than this. */
const oldestSeconds = 7 * 24 * 3600

const inconsistent = (node: Node.Node, detail: string) =>
  Node.unavailable(node, "inconsistent", detail)

const seconds = (time: DateTime.Utc): number => Math.floor(DateTime.toEpochMillis(time) / 1000)

/** The head, the highest final block (the rule of looks), and the receipts there are. */
const survey = Effect.fnUntraced(function* (node: Node.Node, txHashes: ReadonlyArray<string>) {
  const { confirmations, useFinalizedTag } = node.connection
  const tags = useFinalizedTag === true ? (["latest", "finalized"] as const) : (["latest"] as const)
  const answers = yield* node.ask([...tags.map(Block.ask), ...txHashes.map(Receipt.ask)])
  const [latest, finalized] = answers.slice(0, tags.length).map(Block.decode)
  if (latest === undefined) return yield* inconsistent(node, "the node knows no latest block")
  const head = latest.block.number
  return {
    head,
    finalNumber: Math.max(0, head - confirmations + 1, finalized?.block.number ?? 0),
    receipts: answers.slice(tags.length).flatMap((answer) => Receipt.decode(answer) ?? [])
  }
})

/** The block of a receipt, when the node's chain still has it. */
const blockOf = Effect.fnUntraced(function* (node: Node.Node, receipt: Receipt.Receipt) {
  const [header] = yield* Node.headers(node, [receipt.blockNumber])
  if (header?.block.hash === receipt.blockHash) return header.block
  return yield* inconsistent(node, `the receipt of ${receipt.txHash} is of no block that stands`)
})

const isUsed = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  at: Parameters<typeof Authorizations.askState>[1]
) {
  const [answer] = yield* node.ask([Authorizations.askState(authorization, at)])
  if (answer === "0x" || !/^0x0{63}[01]$/u.test(String(answer))) {
    return yield* inconsistent(node, "the token does not tell the state of an authorization")
  }
  return String(answer).endsWith("1")
})

type Survey = Effect.Success<ReturnType<typeof survey>>

/** The authorization is spent, though by none of the known transactions: another carried it. */
const spentElsewhere = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  carriers: ReadonlyArray<Carrier>,
  { finalNumber }: Survey
): Effect.fn.Return<Trace, RpcFailed | ChainUnavailable> {
  const [first] = carriers
  const since =
    first === undefined
      ? authorization.validBefore - oldestSeconds
      : seconds(first.at) - clocksDifferSeconds
  const { head } = yield* survey(node, [])
  const ending = yield* Ending.find(node, authorization, since, head)
  if (ending === undefined) return yield* inconsistent(node, "no log says who used it")
  const [receipt] = (yield* survey(node, [ending.txHash])).receipts
  if (receipt === undefined) {
    return yield* inconsistent(node, `there is no receipt of ${ending.txHash}`)
  }
  const block = yield* blockOf(node, receipt)
  const isFinal = block.number <= finalNumber
  if (ending.end === "cancelled") return isFinal ? { _tag: "impossible" } : { _tag: "unseen" }
  if (Receipt.pays(receipt, block, authorization)) {
    return { _tag: "paid", txHash: receipt.txHash, isFinal }
  }
  return yield* inconsistent(node, `${receipt.txHash} used it without paying it`)
})

/** Whether a final block is later than the authorization lasts, with the authorization unused in it. */
const isImpossible = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  finalNumber: number
) {
  const [header] = yield* Node.headers(node, [finalNumber])
  if (header === undefined) return yield* inconsistent(node, `block ${finalNumber} is missing`)
  if (seconds(header.block.timestamp) <= authorization.validBefore) return false
  // By its hash: a backend that lags behind would tell of an earlier block without a word.
  return !(yield* isUsed(node, authorization, { blockHash: header.block.hash }))
})

const once = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  carriers: ReadonlyArray<Carrier>
): Effect.fn.Return<Trace, RpcFailed | ChainUnavailable> {
  const surveyed = yield* survey(
    node,
    carriers.map(({ txHash }) => txHash)
  )
  const { finalNumber, receipts } = surveyed
  for (const receipt of receipts.filter(({ isSuccess }) => isSuccess)) {
    const block = yield* blockOf(node, receipt)
    if (Receipt.pays(receipt, block, authorization)) {
      return { _tag: "paid", txHash: receipt.txHash, isFinal: block.number <= finalNumber }
    }
  }
  if (yield* isUsed(node, authorization, "latest")) {
    return yield* spentElsewhere(node, authorization, carriers, surveyed)
  }
  if (yield* isImpossible(node, authorization, finalNumber)) return { _tag: "impossible" }
  const reverted = receipts.find(({ isSuccess }) => !isSuccess)
  if (reverted === undefined) return { _tag: "unseen" }
  const block = yield* blockOf(node, reverted)
  return { _tag: "reverted", txHash: reverted.txHash, isFinal: block.number <= finalNumber }
})

export const trace = (
  node: Node.Node,
  authorization: Authorization,
  carriers: ReadonlyArray<Carrier>
): Effect.Effect<Trace, ChainUnavailable> =>
  once(node, authorization, carriers).pipe(
    Effect.mapError((failed) => Node.translate(node, failed)),
    Effect.retry({
      times: repeatsWhenInconsistent,
      while: (failed) => failed.reason === "inconsistent"
    })
  )
