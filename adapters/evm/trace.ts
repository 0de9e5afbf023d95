/**
 * What the chain says became of a send. That it was paid takes the token's own logs in a block that
 * stands; that it never will takes a finalized block later than the authorization lasts.
 */
import { setTimeout } from "node:timers/promises"
import { Effect } from "effect"
import type { Attempt, Authorization } from "../../core/evm/journal.ts"
import type { Depth, TransactionStatus } from "../../core/evm/relay.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import * as Authorizations from "./authorization.ts"
import * as Ending from "./ending.ts"
import * as Node from "./node.ts"
import * as PermitTrace from "./permit-trace.ts"
import * as Receipt from "./receipt.ts"
import type { RpcFailed } from "./rpc.ts"
import {
  blockOf,
  finalBlock,
  inconsistent,
  isFinal,
  reverted,
  seconds,
  survey,
  usableSince
} from "./survey.ts"

const repeatsWhenInconsistent = 3

export const isUsed = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Receipt.Spent,
  at: Parameters<typeof Authorizations.askState>[1]
) {
  const [answer] = yield* node.ask([Authorizations.askState(authorization, at)])
  if (answer === "0x" || !/^0x0{63}[01]$/u.test(String(answer))) {
    return yield* inconsistent(node, "the token does not tell the state of an authorization")
  }
  return String(answer).endsWith("1")
})

/**
 * The authorization is spent, though by none of the known transactions: another carried it, or its holder cancelled it
 * or had the token take another one with its nonce. Under what our wallets sign there is one; a payer may sign several.
 */
const spentElsewhere = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  attempts: ReadonlyArray<Attempt>
): Effect.fn.Return<TransactionStatus, RpcFailed | ChainUnavailable> {
  const { head } = yield* survey(node, [])
  const since = usableSince(authorization, attempts)
  const ending = yield* Ending.find(node, authorization, since, head)
  if (ending === undefined) return yield* inconsistent(node, "no log says who used it")
  // Anew: it was in no block yet when the chain was looked at before.
  const surveyed = yield* survey(node, [ending.txHash])
  const [receipt] = surveyed.receipts
  if (receipt === undefined) {
    return yield* inconsistent(node, `there is no receipt of ${ending.txHash}`)
  }
  const block = yield* blockOf(node, receipt)
  if (Receipt.pays(receipt, block, authorization)) {
    return { _tag: "paid", txHash: receipt.txHash, isFinal: isFinal(node, surveyed, block) }
  }
  if (!Receipt.ends(receipt, authorization, ending.end)) {
    return yield* inconsistent(node, `${receipt.txHash} does not say what its logs say`)
  }
  return { _tag: block.number <= surveyed.finalizedNumber ? "impossible" : "spent" }
})

/** Whether a finalized block is later than the authorization lasts, with the authorization unused in it. */
const isImpossible = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  finalizedNumber: number
) {
  const { hash, timestamp } = yield* finalBlock(node, finalizedNumber)
  if (seconds(timestamp) <= authorization.validBefore) return false
  // By its hash: a backend that lags behind would tell of an earlier block without a word.
  return !(yield* isUsed(node, authorization, { blockHash: hash }))
})

const once = Effect.fnUntraced(function* (
  node: Node.Node,
  authorization: Authorization,
  attempts: ReadonlyArray<Attempt>,
  depth: Depth
): Effect.fn.Return<TransactionStatus, RpcFailed | ChainUnavailable> {
  const surveyed = yield* survey(
    node,
    attempts.map(({ txHash }) => txHash)
  )
  const { finalizedNumber, receipts } = surveyed
  if (depth === "receipts" && receipts.length === 0) return { _tag: "pending" }
  for (const receipt of receipts.filter(({ isSuccess }) => isSuccess)) {
    const block = yield* blockOf(node, receipt)
    if (Receipt.pays(receipt, block, authorization)) {
      return { _tag: "paid", txHash: receipt.txHash, isFinal: isFinal(node, surveyed, block) }
    }
  }
  if (yield* isUsed(node, authorization, "latest")) {
    return yield* spentElsewhere(node, authorization, attempts)
  }
  if (yield* isImpossible(node, authorization, finalizedNumber)) return { _tag: "impossible" }
  return (yield* reverted(node, surveyed)) ?? { _tag: "pending" }
})

/** When a chain is looked at again that makes a block for each transaction. Others would wait for no block. */
const pausesMs = [3, 3, 6]
const quickPollMs = 100

/** In real time, whatever clock the treasury keeps: it is the node that needs it. */
const pause = (ms: number) => Effect.promise(() => setTimeout(ms))

/** To write that something is looked at again, and to claim it for that, takes longer than a block of a quick chain. */
const waitedFor = <E>(
  { connection }: Node.Node,
  depth: Depth,
  look: Effect.Effect<TransactionStatus, E>
): Effect.Effect<TransactionStatus, E> => {
  if (depth === "whole" || connection.pollMs > quickPollMs) return look
  return pausesMs.reduce(
    (looked, ms) =>
      Effect.flatMap(looked, (found) =>
        found._tag === "pending" ? Effect.andThen(pause(ms), look) : Effect.succeed(found)
      ),
    look
  )
}

export const trace = (
  node: Node.Node,
  authorization: Authorization,
  attempts: ReadonlyArray<Attempt>,
  depth: Depth = "whole"
): Effect.Effect<TransactionStatus, ChainUnavailable> => {
  const looked = authorization.act === "permit" ? PermitTrace.once : once
  return waitedFor(node, depth, looked(node, authorization, attempts, depth)).pipe(
    Effect.mapError((failed) => Node.translate(node, failed)),
    Effect.retry({
      times: repeatsWhenInconsistent,
      while: (failed) => failed.reason === "inconsistent"
    })
  )
}
