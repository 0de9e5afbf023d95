/**
 * Loans of gas: the relayer gives a wallet what it lacks for a transaction of its own. Each loan is a submission of
 * its own, charged to the ledger of outlay, whose transactions share one nonce, so that it is given once.
 */
import { DateTime, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { isEnded, newSubmission, type Submission } from "../submissions/submission.ts"
import { type Claimed, SubmissionStore } from "../submissions/submission-store.ts"
import type { Step } from "../submissions/submitter.ts"
import { replacementFees, submit } from "./follow.ts"
import * as Journal from "./journal.ts"
import { onward, type Planned, plan, type Shared, waiting } from "./look.ts"
import * as Nonce from "./nonce.ts"
import { canPay, waitForGas } from "./prepare.ts"
import { EvmRelay } from "./relay.ts"

const replaceAfterMs = 30_000
const maxAttempts = 20

/** The key of a loan for a call, counted from one. */
export const keyOf = ({ id }: Submission, n: number): string => `loan ${id} ${n}`

/** Opens it, unless it was opened before. */
export const open = Effect.fnUntraced(function* (call: Submission, n: number, wei: bigint) {
  const { chainId, id, purpose, terms } = call
  const loan = newSubmission(
    {
      id: yield* (yield* Ids).uuid,
      key: keyOf(call, n),
      purpose: { name: "loan", accountId: purpose.accountId, forSubmission: id },
      chainId,
      terms: {
        act: "lend",
        from: yield* Nonce.relayerOn(chainId),
        to: terms.from,
        amount: { token: { chainId, address: null }, units: wei },
        identity: terms.identity,
        call: null,
        wallet: null,
        signed: null
      }
    },
    yield* DateTime.now
  )
  const { afterCommit, run } = yield* Atomically
  const store = yield* SubmissionStore
  const { signal } = yield* Notifier
  yield* run(Effect.andThen(store.open(loan), afterCommit(signal("submissions"))))
})

const prepare = Effect.fnUntraced(function* (submission: Submission, shared: Shared) {
  const { chainId, terms } = submission
  const relay = yield* EvmRelay
  const relayer = yield* Nonce.relayerOn(chainId)
  const call = { to: terms.to, data: "0x", value: terms.amount.units }
  const trial = yield* relay.tryCall({ chainId, from: relayer, identity: "", call })
  if (trial._tag === "would_revert") {
    return onward({ ...submission, status: "failed", reason: trial.reason })
  }
  const conditions = { ...(yield* shared.conditions), dataFeeWei: trial.dataFeeWei }
  const needed = { ...conditions, relayerWei: conditions.relayerWei - terms.amount.units }
  if (!canPay(needed, trial.gas)) return yield* waitForGas(submission)
  const { maxFeePerGas, maxPriorityFeePerGas } = conditions
  const fees = { maxFeePerGas, maxPriorityFeePerGas, gas: trial.gas }
  const isHeld = yield* Nonce.isUsable(submission, conditions)
  return plan(shared, submission, { fees, conditions, relayer, isHeld })
})

const make = Effect.fnUntraced(function* (submission: Submission, { fees }: Planned) {
  const { chainId, relayerSequence, terms } = submission
  const loan = { chainId, to: terms.to, wei: terms.amount.units }
  const signed = yield* (yield* EvmRelay).lend(loan, relayerSequence as number, fees)
  const { attempts } = Journal.read(submission)
  const attempt = { ...signed, ...fees, at: yield* DateTime.now }
  const written = Journal.write(submission, {
    authorization: null,
    attempts: [...attempts, attempt]
  })
  const step: Step = { at: { ...written, status: "submitted", reason: null }, next: "submit" }
  return step
})

/** Under the nonce it has, and no other: one that took a second could be given twice. */
const unseen = Effect.fnUntraced(function* (at: Submission, shared: Shared) {
  const { attempts } = Journal.read(at)
  const newest = attempts.at(-1) as Journal.Attempt
  const submission: Submission = {
    ...at,
    status: "submitted",
    txIds: attempts.map(({ txHash }) => txHash)
  }
  if (shared.handedOver.has(submission.id)) return waiting(submission)
  const ageMs = DateTime.toEpochMillis(yield* DateTime.now) - DateTime.toEpochMillis(newest.at)
  const again = Effect.map(submit(submission), (each) => waiting(each))
  if (ageMs < replaceAfterMs || attempts.length >= maxAttempts) return yield* again
  const conditions = yield* shared.conditions
  if (!(yield* Nonce.isUsable(submission, conditions))) return yield* again
  if (yield* Nonce.fillsGap(submission, conditions)) return yield* again
  const relayer = yield* Nonce.relayerOn(submission.chainId)
  const fees = replacementFees(newest, conditions)
  return plan(shared, submission, { fees, conditions, relayer, isHeld: true })
})

const follow = Effect.fnUntraced(function* (submission: Submission, shared: Shared) {
  const { chainId, relayer, relayerSequence } = submission
  if (relayer === null || relayerSequence === null) return yield* prepare(submission, shared)
  const { attempts } = Journal.read(submission)
  const nonce = { chainId, sender: relayer, nonce: relayerSequence }
  const trace = yield* (yield* EvmRelay).traceNonce(nonce, attempts)
  if (trace._tag === "mined") {
    const at = { ...submission, reason: null, txIds: [trace.txHash] }
    return trace.isFinal ? onward({ ...at, status: "final" }) : waiting({ ...at, status: "seen" })
  }
  if (trace._tag === "used_elsewhere" && trace.isFinal) {
    const reason = "The relayer's nonce was used by another transaction."
    return onward({ ...submission, status: "failed", reason })
  }
  return yield* unseen(submission, shared)
})

export const step = Effect.fnUntraced(function* ({ submission }: Claimed, shared: Shared) {
  if (isEnded(submission)) {
    return (yield* Nonce.isCleared(submission, shared.conditions))
      ? ({ at: submission, next: "close" } satisfies Step)
      : waiting(submission)
  }
  const planned = shared.planned.get(submission.id)
  if (planned !== undefined) {
    shared.planned.delete(submission.id)
    return yield* make(submission, planned)
  }
  return yield* Journal.read(submission).attempts.length === 0
    ? prepare(submission, shared)
    : follow(submission, shared)
})
