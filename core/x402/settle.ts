/**
 * Settles a signed payment once, however often and wherever it is submitted: one row, one payment, and the
 * same answer for every copy. Workers submit it; this waits for the result, outside of any transaction.
 */
import { Clock, DateTime, Effect } from "effect"
import { waitFor } from "../background/wait-for.ts"
import type { Usdc } from "../money/usdc.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { purposeOf } from "../submissions/purposes.ts"
import type { Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { PaymentRefused, type Terms } from "./offer.ts"
import {
  find,
  isSameSubject,
  isTaken,
  type Settlement,
  type Subject,
  submissionOf
} from "./settlement.ts"
import { type Payment, verify } from "./verify.ts"

export interface SettlementRequest<E, R> extends Payment {
  readonly subject: Subject
  readonly terms: Terms
  /** Locks what is paid for and says whether it may be paid still, in the transaction that writes the row. */
  readonly admit: Effect.Effect<void, E, R>
}

export interface Patience {
  /** How long to wait for a block that has it. */
  readonly landMs: number
  /** How long to wait for that block to be final, once there is one. */
  readonly finalMs: number
}

export const defaultPatience: Patience = { landMs: 20_000, finalMs: 5_000 }

const boundElsewhere = () =>
  new PaymentRefused({
    reason: "authorization_bound_elsewhere",
    message: "This signature was already used for another payment; create a new one."
  })

/** Whether it is what is asked: for the same purchase, and signed by the same signature. */
const isBoundTo = <E, R>(
  settlement: Settlement,
  { authorization, subject }: SettlementRequest<E, R>
) =>
  isSameSubject(settlement.subject, subject) &&
  settlement.authorization.signature === authorization.signature

/** As many are carried at once whatever their payer holds: what a block took a moment ago stands among them. */
const maxUnbacked = 4

/** Refuses what its payer could not pay beside all that is under way: each that reverts is paid for by the relayer. */
const requireBacked = Effect.fnUntraced(function* (
  { amountMicro, chainId, from }: Payment["authorization"],
  heldMicro: Usdc
) {
  const { count, units } = yield* (yield* SubmissionStore).promisedBy(chainId, from)
  if (count < maxUnbacked || units + amountMicro <= heldMicro) return
  return yield* new PaymentRefused({
    reason: "insufficient_funds",
    message:
      "Payments of this wallet that are still pending take all that it holds; wait for them, or fund it."
  })
})

/** Writes it down in one transaction with what it means, unless another copy of it came first. */
const writeDown = Effect.fnUntraced(function* <E, R>(
  asked: SettlementRequest<E, R>,
  known: Settlement | undefined,
  heldMicro: Usdc
) {
  const store = yield* SubmissionStore
  const atomically = yield* Atomically
  const now = yield* DateTime.now
  const submission: Submission = submissionOf({ ...asked, id: yield* (yield* Ids).uuid }, now)
  const signal = (yield* Notifier).signal("submissions")
  yield* atomically.run(
    Effect.gen(function* () {
      yield* asked.admit
      yield* requireBacked(asked.authorization, heldMicro)
      const isFirst =
        known === undefined ? yield* store.open(submission) : yield* store.reopen(known.id, now)
      if (!isFirst) return
      yield* (yield* purposeOf(submission.purpose.name)).opened(submission)
      yield* atomically.afterCommit(signal)
    })
  )
})

/** Waits until it is final, has failed, is stuck, or the time is up. */
const awaited = Effect.fnUntraced(function* (settlement: Settlement, patience: Patience) {
  const startedAtMs = yield* Clock.currentTimeMillis
  let takenAtMs: number | undefined
  const look = Effect.map(find(settlement.authorization), (found) => found ?? settlement)
  return yield* waitFor("submissions", settlement.id, look, (seen, nowMs) => {
    if (seen.outcome !== null || seen.reason === "transaction_reverted") return 0
    takenAtMs = isTaken(seen) ? (takenAtMs ?? nowMs) : undefined
    return takenAtMs === undefined
      ? startedAtMs + patience.landMs - nowMs
      : takenAtMs + patience.finalMs - nowMs
  })
})

/**
 * Settles it and waits. What is given back may be unresolved still (`outcome` null): then the same call
 * again, with the same authorization, waits on. Fails with `PaymentRefused` when nothing was written.
 */
export const settle = Effect.fnUntraced(function* <E, R>(
  asked: SettlementRequest<E, R>,
  patience: Patience = defaultPatience
) {
  const found = find(asked.authorization)
  const known = yield* found
  if (known !== undefined && !isBoundTo(known, asked)) return yield* boundElsewhere()
  if (known === undefined || known.outcome === "failed") {
    // Another copy may have come first and be under way by now; then that is what both wait for.
    yield* verify(asked, asked.terms).pipe(
      Effect.flatMap((heldMicro) => writeDown(asked, known, heldMicro)),
      Effect.catch((error) =>
        Effect.flatMap(found, (now) =>
          now === undefined || now.outcome === "failed" ? Effect.fail(error) : Effect.void
        )
      )
    )
  }
  const settlement = yield* found
  if (settlement === undefined || !isBoundTo(settlement, asked)) return yield* boundElsewhere()
  return yield* awaited(settlement, patience)
})
