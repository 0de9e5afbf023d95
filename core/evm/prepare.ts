/**
 * The steps up to the first transaction: the wallet signs, the token is asked whether it would take that, the
 * relayer's next nonce is taken, and its transaction is made. Nothing here reaches the network.
 */
import { DateTime, Effect } from "effect"
import { relayerOutOfGas } from "../operation/metrics.ts"
import { recovered } from "../submissions/recover.ts"
import { anew, type Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import { tellRelayerLow } from "../submissions/tell-relayer-low.ts"
import * as Journal from "./journal.ts"
import {
  type Look,
  onward,
  type Planned,
  paid,
  plan,
  type ReadConditions,
  unsigned,
  validForSeconds,
  waiting
} from "./look.ts"
import * as Nonce from "./nonce.ts"
import { costOf, withBytesOf } from "./outlay.ts"
import { outOfGas } from "./reasons.ts"
import { type Conditions, EvmRelay } from "./relay.ts"

const gasWaitMs = 15_000

/** Whether the relayer can pay a transaction with so much gas, at the most it may cost. */
export const canPay = (conditions: Conditions, gas: bigint): boolean =>
  conditions.relayerWei >= costOf({ ...conditions, gas }, conditions)

export const sign = Effect.fnUntraced(function* (
  submission: Submission,
  conditions: ReadConditions
) {
  const { chainId, purpose, terms } = submission
  const { wallet } = terms
  if (wallet === null) return yield* Effect.die(new Error(`${submission.id} is of no wallet.`))
  if (terms.act === "transfer") {
    const { findPayment } = yield* EvmRelay
    const known = { chainId, from: terms.from, identity: terms.identity }
    // What the network charges is asked with it, as the answer is wanted next.
    const [found] = yield* Effect.all([findPayment(known), conditions], {
      concurrency: "unbounded"
    })
    if (found !== undefined) return recovered(submission, found)
    // A block that had it is gone.
    if (submission.status !== "prepared") return onward(anew(submission))
  }
  const { chainTime } = yield* conditions
  const authorization = yield* (yield* EvmRelay).authorize({
    act: terms.act,
    proposalId: purpose.proposalId ?? "",
    identity: terms.identity,
    call: terms.call,
    accountId: purpose.accountId ?? "",
    walletId: wallet.id,
    key: wallet.key,
    chainId,
    from: terms.from,
    to: terms.to,
    amount: terms.amount,
    validBefore: chainTime + validForSeconds
  })
  const written = Journal.write(submission, { authorization, attempts: [] })
  return onward({ ...written, status: "signed", reason: null })
})

export const waitForGas = Effect.fnUntraced(function* (submission: Submission) {
  const { chainId } = submission
  const relayer = yield* (yield* EvmRelay).relayerAddress(chainId)
  yield* Effect.logWarning(`The relayer ${relayer} on ${chainId} is out of gas; fund it.`)
  yield* relayerOutOfGas(chainId)
  if (submission.reason !== outOfGas) yield* tellRelayerLow(submission)
  return waiting({ ...submission, reason: outOfGas }, gasWaitMs)
})

/**
 * Whether to retry with a fresh permit nonce: for at most `validForSeconds` after creation. Safe because no
 * transaction carries this permit yet.
 */
const mayCountAnew = Effect.fnUntraced(function* ({ createdAt, terms }: Submission) {
  const endsAt = DateTime.add(createdAt, { seconds: validForSeconds })
  return terms.act === "permit" && DateTime.isLessThan(yield* DateTime.now, endsAt)
})

/**
 * Nothing of ours carries it, so the token has it only when somebody else brought it there, or when the
 * records are older than the chain; whoever restored them must not see it fail.
 */
const refused = Effect.fnUntraced(function* (look: Look, reason: string) {
  const { authorization, submission } = look
  const trace = yield* (yield* EvmRelay).trace(authorization, [])
  if (trace._tag === "paid") return paid(look, trace)
  if (
    trace._tag === "nonce_consumed" ||
    (trace._tag === "pending" && (yield* mayCountAnew(submission)))
  ) {
    return waiting(unsigned(submission, reason))
  }
  return onward({ ...submission, status: "failed", reason })
})

/** Tries it, and plans the first transaction. */
export const prepare = Effect.fnUntraced(function* (look: Look) {
  const { authorization, submission } = look
  const relay = yield* EvmRelay
  const conditions = withBytesOf(yield* look.conditions, authorization)
  // No transaction carries it yet, so what our own wallet signed too long ago is simply signed anew.
  const isStale = conditions.chainTime + validForSeconds / 2 > authorization.validBefore
  if (submission.terms.signed === null && isStale) return onward(unsigned(submission, null))
  const trial = yield* relay.simulate(authorization)
  if (trial._tag === "would_revert") return yield* refused(look, trial.reason)
  if (!canPay(conditions, trial.gas)) return yield* waitForGas(submission)
  const { maxFeePerGas, maxPriorityFeePerGas } = conditions
  const fees = { maxFeePerGas, maxPriorityFeePerGas, gas: trial.gas }
  const relayer = yield* Nonce.relayerOn(submission.chainId)
  const isHeld = yield* Nonce.isUsable(submission, conditions)
  return plan(look, submission, { fees, conditions, relayer, isHeld })
})

/** Makes the planned transaction under the nonce it holds now, and writes it down before it is handed over. */
export const make = Effect.fnUntraced(function* (
  { attempts, authorization, submission }: Look,
  { fees }: Planned
) {
  const nonce = submission.relayerSequence as number
  const wrapped = yield* (yield* EvmRelay).wrap(authorization, nonce, fees)
  const attempt = { ...wrapped, ...fees, at: yield* DateTime.now }
  const written = Journal.write(submission, { authorization, attempts: [...attempts, attempt] })
  const reason = attempts.length === 0 ? null : submission.reason
  const step: Step = { at: { ...written, status: "submitted", reason }, next: "submit" }
  return step
})
