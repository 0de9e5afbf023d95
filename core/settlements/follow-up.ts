/**
 * What the beginning and the end of a settlement mean for what it pays. It runs in the transaction that
 * writes them down, after whatever is paid for was locked, so the two never tell different stories.
 */
import { Effect } from "effect"
import { settle as recompute } from "../payments/settle.ts"
import { PaymentRequests } from "../ports/payment-requests.ts"
import type { Settlement, Subject } from "./settlement.ts"

/** Locks what is paid for before the settlement itself, in the order of the watcher. */
export const lockSubject = Effect.fnUntraced(function* (subject: Subject) {
  if (subject._tag === "payment_request") yield* (yield* PaymentRequests).lock(subject.requestId)
})

/** Brings what is paid for up to date; `outcome` says whether it has begun, was paid or has failed. */
export const followUp = Effect.fnUntraced(function* ({ subject }: Settlement) {
  if (subject._tag === "payment_request") yield* recompute(subject.requestId)
})
