/**
 * The steps of a call up to its first transaction: the wallet's nonce is held, the call is tried, the wallet is lent
 * what it lacks, and its transaction is signed. What is signed is written down before it is handed over.
 */
import { DateTime, Effect } from "effect"
import type { Order } from "../submissions/order.ts"
import { anew, isEnded, isTaken, type Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { Step } from "../submissions/submitter.ts"
import { callIn, loanFor } from "./call.ts"
import * as CallJournal from "./call-journal.ts"
import type { Fees } from "./journal.ts"
import * as Loan from "./loan.ts"
import { onward, type Shared, waiting } from "./look.ts"
import { feesRose, lending } from "./reasons.ts"
import { EvmRelay } from "./relay.ts"

/** A wallet is lent more for one call only when fees rose meanwhile. */
const maxLoans = 3

/** What the wallet is to sign. */
export const orderOf = Effect.fnUntraced(function* ({ chainId, id, purpose, terms }: Submission) {
  const { act, amount, call, from, identity, to, wallet } = terms
  if (wallet === null) return yield* Effect.die(new Error(`${id} is of no wallet.`))
  const order: Order = {
    act,
    amount,
    call,
    from,
    identity,
    to,
    proposalId: purpose.proposalId ?? "",
    accountId: purpose.accountId ?? "",
    walletId: wallet.id,
    key: wallet.key,
    chainId,
    // A transaction is good until its nonce is used.
    validBefore: Number.MAX_SAFE_INTEGER
  }
  return order
})

/** Whether the newest loan may still bring something; what it waits for is told of the call. */
const awaited = Effect.fnUntraced(function* (submission: Submission, loans: number) {
  if (loans === 0) return undefined
  const loan = yield* (yield* SubmissionStore).find(Loan.keyOf(submission, loans))
  if (loan === undefined || isEnded(loan)) return undefined
  return waiting({ ...submission, reason: loan.reason ?? lending })
})

/**
 * Lends what is short, once it is known that no earlier loan will bring it. That a loan is asked for is written down
 * before it is opened, and it is opened once.
 */
export const lend = Effect.fnUntraced(function* (submission: Submission, shortWei: bigint) {
  const journal = CallJournal.read(submission)
  const { loans } = journal
  const step = yield* awaited(submission, loans)
  if (step !== undefined) return step
  const key = Loan.keyOf(submission, loans)
  if (loans > 0 && (yield* (yield* SubmissionStore).find(key)) === undefined) {
    yield* Loan.open(submission, loans, shortWei)
    return waiting({ ...submission, reason: lending })
  }
  if (loans === maxLoans) return undefined
  return onward(CallJournal.write(submission, { ...journal, loans: loans + 1 }))
})

/** Whether the newest loan is on its way and in no block yet. */
const isUnderWay = Effect.fnUntraced(function* (submission: Submission) {
  const { loans } = CallJournal.read(submission)
  if (loans === 0) return undefined
  const loan = yield* (yield* SubmissionStore).find(Loan.keyOf(submission, loans))
  return loan === undefined || isTaken(loan) || isEnded(loan)
    ? undefined
    : waiting({ ...submission, reason: loan.reason ?? lending })
})

/** Signs one more transaction of the call under the nonce it holds. */
export const signCall = Effect.fnUntraced(function* (submission: Submission, fees: Fees) {
  const journal = CallJournal.read(submission)
  const order = yield* orderOf(submission)
  const nonce = submission.relayerSequence as number
  const signed = yield* (yield* EvmRelay).signCall(order, nonce, fees)
  const attempt = { ...signed, ...fees, at: yield* DateTime.now }
  const written = CallJournal.write(submission, {
    ...journal,
    attempts: [...journal.attempts, attempt]
  })
  const step: Step = { at: { ...written, status: "submitted", reason: null }, next: "submit" }
  return step
})

/** Tries the call, has the wallet lent what it lacks, and signs the first transaction. */
export const prepareCall = Effect.fnUntraced(function* (submission: Submission, shared: Shared) {
  const { chainId, relayerSequence, terms } = submission
  const call = callIn(terms)
  const relay = yield* EvmRelay
  const step = yield* isUnderWay(submission)
  if (step !== undefined) return step
  const { heldWei, mined } = yield* relay.standing(chainId, terms.from)
  // Something else has used the nonce, perhaps this very call in records that were lost.
  if (mined !== relayerSequence) return onward(anew(submission))
  const trial = yield* relay.tryCall({ chainId, from: terms.from, identity: terms.identity, call })
  if (trial._tag === "would_revert") {
    return onward({ ...submission, status: "failed", reason: trial.reason })
  }
  const { maxFeePerGas, maxPriorityFeePerGas } = yield* shared.conditions
  const fees = { maxFeePerGas, maxPriorityFeePerGas, gas: trial.gas }
  const shortWei = loanFor(fees, { dataFeeWei: trial.dataFeeWei, value: call.value }, heldWei)
  if (shortWei === 0n) return yield* signCall(submission, fees)
  return (
    (yield* lend(submission, shortWei)) ??
    onward({ ...submission, status: "failed", reason: feesRose })
  )
})
