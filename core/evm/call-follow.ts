/**
 * The steps of a call after its first transaction: it is looked for, replaced by one that pays more, and when no
 * block takes it, ended by a transaction that only uses its nonce up. The nonce lets one of them happen.
 */
import { DateTime, Effect } from "effect"
import { anew, type Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import { callIn, costOf } from "./call.ts"
import * as CallJournal from "./call-journal.ts"
import { lend, orderOf, signCall } from "./call-prepare.ts"
import type { NonceTrace } from "./call-relay.ts"
import { replacementFees, submit } from "./follow.ts"
import { judgeUsed } from "./hold.ts"
import type { Attempt, Fees } from "./journal.ts"
import { onward, type Shared, waiting } from "./look.ts"
import { callReverted, notAsExpected, voided, voiding } from "./reasons.ts"
import { type Conditions, EvmRelay } from "./relay.ts"

/** A transaction unseen for so long is replaced by one that pays more. */
const replaceAfterMs = 30_000
/** After so long without a block that takes it, a call is given up. */
const giveUpAfterMs = 600_000
/** Replacements leave so much room, in tenths, for the transaction that gives the call up. */
const roomInTenths = 11n

const smaller = (one: bigint, other: bigint) => (one < other ? one : other)
const isEighthMore = (fee: bigint, before: bigint): boolean => fee * 8n > before * 9n

/** What a replacement pays, at most so much for each gas; undefined when nodes would not take that for one. */
export const boundedFees = (
  newest: Attempt,
  conditions: Conditions,
  maxPerGas: bigint
): Fees | undefined => {
  const wanted = replacementFees(newest, conditions)
  const maxFeePerGas = smaller(wanted.maxFeePerGas, maxPerGas)
  const maxPriorityFeePerGas = smaller(wanted.maxPriorityFeePerGas, maxFeePerGas)
  const isTaken =
    isEighthMore(maxFeePerGas, newest.maxFeePerGas) &&
    isEighthMore(maxPriorityFeePerGas, newest.maxPriorityFeePerGas)
  return isTaken ? { ...wanted, maxFeePerGas, maxPriorityFeePerGas } : undefined
}

const maxPerGas = (heldWei: bigint, reservedWei: bigint, gas: bigint): bigint =>
  heldWei > reservedWei ? (heldWei - reservedWei) / gas : 0n

/** A block has one of ours. */
const mined = Effect.fnUntraced(function* (
  submission: Submission,
  trace: NonceTrace & { readonly _tag: "mined" }
) {
  const { chainId, terms } = submission
  const { attempts, voids } = CallJournal.read(submission)
  const ending = (reason: string): Step =>
    trace.isFinal
      ? onward({ ...submission, status: "failed", txIds: [trace.txHash], reason })
      : waiting({ ...submission, status: "submitted", reason })
  if (!attempts.some(({ txHash }) => txHash === trace.txHash)) {
    return ending(voids.length > 0 ? voided : callReverted)
  }
  if (!trace.isSuccess) return ending(callReverted)
  const { expect } = callIn(terms)
  const at: Submission = { ...submission, reason: null, txIds: [trace.txHash] }
  if (expect !== undefined) {
    const { answers, answersNow } = yield* EvmRelay
    const isDone =
      (yield* answers(chainId, expect, trace.blockHash)) ?? (yield* answersNow(chainId, expect))
    if (!isDone) return ending(notAsExpected)
  }
  return trace.isFinal ? onward({ ...at, status: "final" }) : waiting({ ...at, status: "seen" })
})

/** Gives the call up: from here on nothing but the nonce's use is signed. */
const signVoid = Effect.fnUntraced(function* (submission: Submission, fees: Fees) {
  const journal = CallJournal.read(submission)
  const nonce = submission.relayerSequence as number
  const signed = yield* (yield* EvmRelay).signVoid(yield* orderOf(submission), nonce, fees)
  const attempt = { ...signed, ...fees, at: yield* DateTime.now }
  const written = CallJournal.write(submission, { ...journal, voids: [...journal.voids, attempt] })
  const step: Step = { at: { ...written, reason: voiding }, next: "submit" }
  return step
})

/** What no block has is handed over again, replaced within what the wallet holds, and given up in the end. */
const unseen = Effect.fnUntraced(function* (look: Submission, shared: Shared) {
  const journal = CallJournal.read(look)
  const { attempts, voids } = journal
  const newest = CallJournal.newest(journal) as Attempt
  const [first] = attempts
  const txIds = [...attempts, ...voids].map(({ txHash }) => txHash)
  const submission: Submission = { ...look, status: "submitted", txIds }
  if (shared.handedOver.has(submission.id)) return waiting(submission)
  const now = DateTime.toEpochMillis(yield* DateTime.now)
  const again = Effect.map(submit(submission), (at) => waiting(at))
  if (now - DateTime.toEpochMillis(newest.at) < replaceAfterMs) return yield* again
  const { chainId, terms } = submission
  const { value } = callIn(terms)
  const conditions = yield* shared.conditions
  const { dataFeeWei } = conditions
  const { heldWei } = yield* (yield* EvmRelay).standing(chainId, terms.from)
  const isGivenUp =
    voids.length > 0 || now - DateTime.toEpochMillis((first ?? newest).at) >= giveUpAfterMs
  if (isGivenUp) {
    const fees = boundedFees(newest, conditions, maxPerGas(heldWei, dataFeeWei, newest.gas))
    return fees === undefined ? yield* again : yield* signVoid(submission, fees)
  }
  // A block that had the loan is gone, and what lent it has ended since.
  const cost = costOf(newest, { dataFeeWei, value })
  if (heldWei < cost) return (yield* lend(submission, cost - heldWei)) ?? (yield* again)
  const most = maxPerGas(heldWei, dataFeeWei + value, newest.gas)
  const fees = boundedFees(newest, conditions, (most * 10n) / roomInTenths)
  return fees === undefined ? yield* again : yield* signCall(submission, fees)
})

export const followCall = Effect.fnUntraced(function* (submission: Submission, shared: Shared) {
  const { chainId, relayerSequence, terms } = submission
  const { attempts, voids } = CallJournal.read(submission)
  const nonce = relayerSequence as number
  const trace = yield* (yield* EvmRelay).traceNonce({ chainId, sender: terms.from, nonce }, [
    ...attempts,
    ...voids
  ])
  switch (trace._tag) {
    case "mined":
      return yield* mined(submission, trace)
    case "unused":
      return yield* unseen(submission, shared)
    case "used_elsewhere": {
      if (!trace.isFinal) return yield* unseen(submission, shared)
      const step = yield* judgeUsed(submission, nonce)
      // What was signed under that nonce is dead for ever.
      return step ?? onward(anew(submission))
    }
  }
})
