/**
 * What is asked of the network about a payer's own transaction: whether it would pay, by which block it is dead, and
 * what became of it. It has no mark; that it never paid is said only by final slots that are past it, at every node.
 */
import {
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getTransactionDecoder,
  type SignatureBytes
} from "@solana/kit"
import { Effect } from "effect"
import { TransactionId } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import type { ChainUnavailable } from "../../core/ports/chains.ts"
import type { Attempt } from "../../core/solana/journal.ts"
import type { SignedTrace, SignedTrial } from "../../core/solana/relay.ts"
import type { SignedTransfer } from "../../core/solana/signed-transfer.ts"
import { ask, askEach, at } from "./ask.ts"
import { type Failure, failureOf } from "./failure.ts"
import type { Node } from "./node.ts"
import { readPlain } from "./plain-payment.ts"
import type { RelayerKey } from "./relayer-key.ts"
import type { RpcFailed } from "./rpc.ts"
import type { Part } from "./transaction.ts"

const parts: ReadonlyArray<Part> = ["budget", "budget", "transfer", "budget"]

const failed = (failure: Failure): SignedTrial =>
  failure._tag === "told"
    ? { _tag: "would_fail", reason: failure.reason }
    : { _tag: "would_fail", reason: "The transaction fails when it is tried." }

/** Tries it as it is, under the block that it names. */
export const tryIt = (
  node: Node,
  { wire }: SignedTransfer
): Effect.Effect<SignedTrial, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const config = {
      commitment: "confirmed",
      encoding: "base64",
      sigVerify: false,
      replaceRecentBlockhash: false
    }
    const [answer] = yield* ask(node, [{ method: "simulateTransaction", params: [wire, config] }])
    const error = at(answer, "value", "err") ?? null
    if (error === null) return { _tag: "ok" } as const
    if (error === "AlreadyProcessed") return { _tag: "landed" } as const
    if (error === "BlockhashNotFound") return { _tag: "expired" } as const
    return failed(failureOf(error, parts))
  })

/** Signs as the relayer, after reading once more that it is asked for nothing but its fee. */
export const countersign = Effect.fnUntraced(function* (
  signed: SignedTransfer,
  mint: string,
  relayer: RelayerKey
): Effect.fn.Return<Pick<Attempt, "txId" | "wire">> {
  const read = yield* readPlain({ chainId: signed.chainId, mint }, signed.wire, signed.to)
  const feePayer = yield* relayer.address
  const isSame =
    read !== undefined &&
    !("_tag" in read) &&
    read.nonce === signed.nonce &&
    read.amountMicro === signed.amountMicro &&
    read.feePayer === feePayer.valueOf()
  if (!isSame) return yield* Effect.die(new Error("It is no plain payment; nothing was signed."))
  const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(signed.wire))
  const own = yield* relayer.sign(Uint8Array.from(transaction.messageBytes))
  const whole = {
    ...transaction,
    signatures: { ...transaction.signatures, [feePayer]: own as SignatureBytes }
  }
  return {
    wire: getBase64EncodedWireTransaction(whole),
    txId: TransactionId.make(Base58.encode(own))
  }
})

const askFinal = { method: "getEpochInfo", params: [{ commitment: "finalized" }] }

const askStatus = (attempt: Attempt) => ({
  method: "getSignatureStatuses",
  params: [[attempt.txId], { searchTransactionHistory: true }]
})

interface Told {
  readonly slot: number
  readonly status: unknown
}

const toldIn = (answer: unknown): Told => ({
  slot: Number(at(answer, "context", "slot")),
  status: at(answer, "value", 0) ?? null
})

const isFinal = ({ status }: Told): boolean => at(status, "confirmationStatus") === "finalized"

/** Whether every node has a final block that is past it, and knows nothing of it there or later. */
const isDead = Effect.fnUntraced(function* (node: Node, attempt: Attempt) {
  const heads = yield* askEach(node, askFinal)
  const isPast = heads.every(
    (head) => BigInt(Number(at(head, "blockHeight"))) > attempt.lastValidBlockHeight
  )
  if (!isPast) return false
  const past = Math.max(...heads.map((head) => Number(at(head, "absoluteSlot"))))
  const answers = yield* askEach(node, askStatus(attempt))
  return answers.map(toldIn).every(({ slot, status }) => status === null && slot >= past)
})

export const traceIt = (
  node: Node,
  attempt: Attempt,
  done: ReadonlyArray<Part> = parts
): Effect.Effect<SignedTrace, ChainUnavailable | RpcFailed> =>
  Effect.gen(function* () {
    const [answer, final] = yield* ask(node, [askStatus(attempt), askFinal])
    const first = toldIn(answer)
    if (first.status === null) {
      const isPast = BigInt(Number(at(final, "blockHeight"))) > attempt.lastValidBlockHeight
      return { _tag: isPast && (yield* isDead(node, attempt)) ? "dead" : "pending" } as const
    }
    // One node says that a block has it; that this is final is said by all of them.
    const all = isFinal(first) ? (yield* askEach(node, askStatus(attempt))).map(toldIn) : []
    const isFinalEverywhere = isFinal(first) && all.every(isFinal)
    const error = at(first.status, "err") ?? null
    if (error === null) return { _tag: "paid", isFinal: isFinalEverywhere } as const
    const failure = failureOf(error, done)
    const reason = failure._tag === "told" ? failure.reason : "The transaction failed."
    return { _tag: "failed", isFinal: isFinalEverywhere, reason } as const
  })
