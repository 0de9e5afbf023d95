/**
 * Carries what a payer has signed (x402): the relayer adds its own signature, the exact bytes are written down, and they
 * are handed over until a final block has them or is past them. Nothing is ever made in their place.
 */
import { DateTime, Effect } from "effect"
import { layOut } from "../policy/lay-out.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import { submit } from "./follow.ts"
import * as Journal from "./journal.ts"
import { type Asked, onward, waiting } from "./look.ts"
import { feeOf } from "./outlay.ts"
import { expired, outlayReached } from "./reasons.ts"
import { SolanaRelay } from "./relay.ts"
import { fromTerms, type SignedTransfer } from "./signed-transfer.ts"

const outlayWaitMs = 60_000

/** What is asked is shared for a second and a node may lag, so the block that it names may be a little newer. */
const marginBlocks = 150n

const failing = (submission: Submission, reason: string): Step =>
  onward({ ...submission, status: "failed", reason, txIds: [] })

/** The relayer signs, and what it signed is written down before it is handed over. */
const countersign = Effect.fnUntraced(function* (
  submission: Submission,
  signed: SignedTransfer,
  asked: Asked
) {
  const relay = yield* SolanaRelay
  const trial = yield* relay.trySigned(signed)
  const { lastValidBlockHeight } = yield* asked
  const attempt: Journal.Attempt = {
    ...(yield* relay.countersign(signed)),
    lastValidBlockHeight: lastValidBlockHeight + marginBlocks,
    at: yield* DateTime.now
  }
  if (trial._tag === "would_fail") {
    // It may be in a block by a process whose records are lost, and its payer has nothing left since.
    const trace = yield* relay.traceSigned(signed, attempt)
    if (trace._tag !== "paid") return failing(submission, trial.reason)
  }
  const { chainId, id, purpose } = submission
  const cost = { key: `submission ${id}`, chainId, accountId: purpose.accountId }
  const [isCharged = false] = yield* layOut([{ ...cost, units: feeOf(signed) }])
  if (!isCharged) return waiting({ ...submission, reason: outlayReached }, outlayWaitMs)
  const written = Journal.write(submission, { attempts: [attempt], bid: signed.priority })
  const step: Step = { at: { ...written, status: "submitted", reason: null }, next: "submit" }
  return step
})

const follow = Effect.fnUntraced(function* (
  submission: Submission,
  signed: SignedTransfer,
  attempt: Journal.Attempt
) {
  const trace = yield* (yield* SolanaRelay).traceSigned(signed, attempt)
  const at = { ...submission, txIds: [attempt.txId] }
  switch (trace._tag) {
    case "paid":
      return trace.isFinal
        ? ({ at: { ...at, status: "final", reason: null }, next: "close" } satisfies Step as Step)
        : waiting({ ...at, status: "seen", reason: null })
    case "failed":
      return trace.isFinal
        ? onward({ ...at, status: "failed", reason: trace.reason })
        : waiting({ ...at, status: "submitted", reason: trace.reason })
    case "dead":
      return failing(submission, expired)
    case "pending":
      return yield* submit({ ...at, status: "submitted" })
  }
})

/** One step of a submission that somebody else has signed. */
export const carry = Effect.fnUntraced(function* (
  submission: Submission,
  terms: NonNullable<Submission["terms"]["signed"]>,
  asked: Asked
) {
  const signed = fromTerms(terms)
  const attempt = Journal.read(submission).attempts.at(-1)
  return yield* attempt === undefined
    ? countersign(submission, signed, asked)
    : follow(submission, signed, attempt)
})
