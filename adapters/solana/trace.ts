/**
 * What became of transactions that were handed over. The mark decides before anything else; that none of them will
 * ever pay is said only by a final block past them all and a mark that is missing in it, at every node asked.
 */
import { Effect } from "effect"
import type { TransactionId } from "../../core/chains/address.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Attempt } from "../../core/solana/journal.ts"
import type { TransactionStatus } from "../../core/solana/relay.ts"
import type { KnownPayment } from "../../core/submissions/submitter.ts"
import { ask, askEach, at } from "./ask.ts"
import { failureOf } from "./failure.ts"
import { askMark, findPayment } from "./find-payment.ts"
import * as Mark from "./mark.ts"
import { partsIn } from "./message.ts"
import type { Node } from "./node.ts"
import type { RpcFailed } from "./rpc.ts"

interface Failed {
  readonly txId: TransactionId
  readonly error: unknown
  readonly slot: number
  readonly isFinal: boolean
}

const askFinal = { method: "getEpochInfo", params: [{ commitment: "finalized" }] }

/** Whether every node asked has a final block at which the mark is missing, none before that slot. */
const isMissingAt = Effect.fnUntraced(function* (node: Node, mark: string, slot: number) {
  const answers = yield* askEach(node, askMark(mark, "finalized", slot))
  return answers.every((account) => !Mark.isMade(account))
})

/** Whether no block can hold one of them any more, and none of them made the mark. */
const areDead = Effect.fnUntraced(function* (
  node: Node,
  mark: string,
  attempts: ReadonlyArray<Attempt>
) {
  const heads = yield* askEach(node, askFinal)
  const isPast = heads.every((head) => {
    const height = BigInt(Number(at(head, "blockHeight")))
    return attempts.every(({ lastValidBlockHeight }) => height > lastValidBlockHeight)
  })
  if (!isPast) return false
  const slots = heads.map((head) => Number(at(head, "absoluteSlot")))
  return yield* isMissingAt(node, mark, Math.max(...slots))
})

const failedAmong = (attempts: ReadonlyArray<Attempt>, statuses: unknown): ReadonlyArray<Failed> =>
  attempts.flatMap(({ txId }, index) => {
    const status = at(statuses, "value", index)
    const error = at(status, "err") ?? null
    if (error === null) return []
    const isFinal = at(status, "confirmationStatus") === "finalized"
    return [{ txId, error, slot: Number(at(status, "slot")), isFinal }]
  })

export const trace = (
  node: Node,
  transfer: KnownPayment,
  attempts: ReadonlyArray<Attempt>
): Effect.Effect<TransactionStatus, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const mark = yield* Mark.addressOf(transfer)
    const [account, statuses, final] = yield* ask(node, [
      askMark(mark, "confirmed"),
      {
        method: "getSignatureStatuses",
        params: [attempts.map(({ txId }) => txId), { searchTransactionHistory: true }]
      },
      askFinal
    ])
    const succeeded = attempts.some((_, index) => {
      const status = at(statuses, "value", index)
      return (status ?? null) !== null && (at(status, "err") ?? null) === null
    })
    if (Mark.isMade(account) || succeeded) {
      const found = yield* findPayment(node, transfer)
      return found === undefined
        ? ({ _tag: "pending" } as const)
        : ({ _tag: "marked", found } as const)
    }
    const failed = failedAmong(attempts, statuses)
    const newest = failed.at(-1)
    const attempt = attempts.find(({ txId }) => txId === newest?.txId)
    if (newest !== undefined && attempt !== undefined && failed.length === attempts.length) {
      const isFinal =
        failed.every((each) => each.isFinal) && (yield* isMissingAt(node, mark, newest.slot))
      const failure = failureOf(newest.error, partsIn(attempt.wire))
      if (failure._tag === "told" || failure._tag === "passing") {
        const { txId } = newest
        const isPassing = failure._tag === "passing"
        return { _tag: "failed", txId, reason: failure.reason, isPassing, isFinal } as const
      }
      // The relayer's own part failed, so nothing is wrong with the payment: it is made anew.
      return { _tag: isFinal ? "dead" : "pending" } as const
    }
    const height = BigInt(Number(at(final, "blockHeight")))
    const mayBeDead = attempts.every((each) => height > each.lastValidBlockHeight)
    if (mayBeDead && (yield* areDead(node, mark, attempts))) return { _tag: "dead" } as const
    return { _tag: "pending" } as const
  })
