/**
 * What the beginning and the end of a settlement mean for what it pays. It runs in the transaction that
 * writes them down, after whatever is paid for was locked, so the two never tell different stories.
 */
import { Effect, Layer } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { openBought, renewBought } from "../agents/open-bought.ts"
import { adopt } from "../payments/adopt-transfer.ts"
import { rejectPayment } from "../payments/reject-payment.ts"
import { PaymentRequests } from "../payments/request-store.ts"
import { settle as recompute } from "../payments/settle.ts"
import { Purposes } from "../submissions/purposes.ts"
import type { Settlement, Subject } from "../submissions/settlement.ts"

/** Locks what is paid for before the settlement itself, in the order of the watcher. */
const lockSubject = Effect.fnUntraced(function* (subject: Subject) {
  if (subject._tag === "payment_request") yield* (yield* PaymentRequests).lock(subject.requestId)
  if (subject._tag === "renewal") yield* (yield* Accounts).lock(subject.accountId)
})

/** Brings what is paid for up to date; `outcome` says whether it has begun, was paid or has failed. */
const followUp = Effect.fnUntraced(function* (settlement: Settlement) {
  const { authorization, outcome, reason, subject } = settlement
  if (subject._tag === "payment_request") {
    if (outcome === "paid") yield* adopt(settlement)
    yield* recompute(subject.requestId)
    if (outcome === "failed") yield* rejectPayment(subject.requestId, authorization, reason ?? "")
    return
  }
  // A plan begins when its payment is final, so that no reorganisation takes it back.
  if (outcome !== "paid") return
  if (subject._tag === "renewal") {
    return yield* renewBought(settlement, subject.accountId, subject.plan)
  }
  return yield* openBought(settlement, subject.plan, subject.facts)
})

export const purposes = { followUp, lockSubject }

type All = typeof purposes

declare module "../submissions/purposes.ts" {
  interface Registry extends All {}
}

/** Hands the registry to the rooms below. */
export const layer = Layer.succeed(Purposes, purposes)
