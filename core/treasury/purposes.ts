/**
 * The registry of what submissions are for: what must hold before each is submitted, and what its progress and
 * its end mean, in the transaction that writes the end down.
 */
import { Effect, Layer, Schema } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { isPaused } from "../accounts/pause.ts"
import { provisionAccount, renewPlan } from "../agents/provision-account.ts"
import { admitDeparture, admitPermit } from "../bridges/depart.ts"
import { familyOf } from "../chains/address.ts"
import { adopt } from "../payments/adopt-transfer.ts"
import { recomputeRequest as recompute } from "../payments/recompute.ts"
import { rejectPayment } from "../payments/reject-payment.ts"
import { PaymentRequests } from "../payments/request-store.ts"
import { SettledBalances } from "../payments/settled-balance-store.ts"
import { Notifier } from "../ports/notifier.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import * as Step from "../proposals/run-step.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { Sales } from "../sales/sale-store.ts"
import { type Admission, type Bought, Purposes, silent } from "../submissions/purposes.ts"
import type { Submission } from "../submissions/submission.ts"
import { swapCancellation } from "../swaps/cancel-order.ts"
import { admitSwap, judgeSigning } from "../swaps/solana-swap.ts"
import { Terms as SwapTerms } from "../swaps/terms.ts"
import { admitBesideSales } from "../transfers/beside-sales.ts"
import { admitRefund } from "../transfers/refund-finality.ts"
import { settlementOf } from "../x402/settlement.ts"

const isRevoked = Effect.fnUntraced(function* ({ purpose }: Submission) {
  const { accountId, proposalId = "" } = purpose
  const payee = yield* (yield* Recipients).payeeOf(accountId ?? "", proposalId)
  return payee?.status === "revoked"
})

const pausedWaitMs = 15_000

/** What a wallet of ours does waits while its account is paused, and pays nobody who was revoked. */
const admit = Effect.fnUntraced(function* (submission: Submission) {
  const isUnsigned = submission.status === "prepared"
  const [paused, revoked] = yield* Effect.all(
    [
      isPaused(submission.purpose.accountId ?? ""),
      isUnsigned ? isRevoked(submission) : Effect.succeed(false)
    ],
    { concurrency: "unbounded" }
  )
  if (paused) {
    const whilePaused = { reason: "The account is paused.", waitMs: pausedWaitMs }
    return { _tag: "wait", ...whilePaused } satisfies Admission as Admission
  }
  if (revoked) {
    const reason = "The recipient was revoked before the send was signed."
    return { _tag: "fail", reason } satisfies Admission as Admission
  }
  return { _tag: "go" } satisfies Admission as Admission
})

/** A step of a proposal. */
const step = { ...silent, admit, ended: Step.ended }

/** What left a vault may have come unseen. */
const paid = Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>) {
  yield* Step.ended(submissions)
  const { hasPaid } = yield* SettledBalances
  // Locked last, as the watcher does it.
  for (const { chainId, status, terms } of submissions) {
    const isPaid = status === "final" && familyOf(chainId).tellsByAddress
    if (isPaid && terms.wallet !== null) yield* hasPaid({ id: terms.wallet.id, chainId })
  }
})

/** What a trade holds is not sent while it goes on. */
const send = {
  ...step,
  ended: paid,
  admit: Effect.fnUntraced(function* (submission: Submission) {
    const [now, besideSales] = yield* Effect.all(
      [admit(submission), admitBesideSales(submission)],
      { concurrency: "unbounded" }
    )
    return now._tag === "go" ? besideSales : now
  })
}

/** Money is sent back once nothing can undo that it came. */
const refund = {
  ...step,
  ended: paid,
  admit: Effect.fnUntraced(function* (submission: Submission) {
    const now = yield* admit(submission)
    if (now._tag !== "go") return now
    const refunded = yield* admitRefund(submission)
    return refunded._tag === "go" ? yield* admitBesideSales(submission) : refunded
  })
}

/** What lets a bridge take the money is given only while it may still leave. */
const bridgePermit = {
  ...step,
  admit: Effect.fnUntraced(function* (submission: Submission) {
    const now = yield* admit(submission)
    return now._tag === "go" ? yield* admitPermit(submission) : now
  })
}

/** What lets a bridge go is asked once more, and frees the wallet for other sales once it is final. */
const bridgeDeparture = {
  ...step,
  admit: Effect.fnUntraced(function* (submission: Submission) {
    const now = yield* admit(submission)
    return now._tag === "go" ? yield* admitDeparture(submission) : now
  }),
  ended: Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>) {
    const { settle } = yield* Sales
    for (const { purpose, status } of submissions) {
      if (status === "final") yield* settle(purpose.proposalId ?? "")
    }
    yield* Step.ended(submissions)
  })
}

/** What has left is brought to its destination or back, whatever stands against its account by then. */
const bridgeDelivery = { ...silent, ended: Step.ended }

/** A swap is judged by the prices of the moment in which it is signed, and may be asked to stop until then. */
const solanaSwapping = {
  ...step,
  admit: Effect.fnUntraced(function* (submission: Submission) {
    const now = yield* admit(submission)
    return now._tag === "go" ? yield* admitSwap(submission) : now
  }),
  judge: Effect.fnUntraced(function* ({ purpose }: Submission, bought: Bought) {
    const { accountId, proposalId = "" } = purpose
    const proposal = yield* (yield* Proposals).find(accountId ?? "", proposalId)
    if (proposal === undefined) return yield* Effect.die(new Error(`${proposalId} is gone.`))
    const terms = Schema.decodeUnknownSync(Schema.toCodecJson(SwapTerms))(proposal.terms)
    return yield* judgeSigning(proposal, terms, bought)
  })
}

const settled = Effect.fnUntraced(function* (submission: Submission) {
  const settlement = settlementOf(submission)
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
    return yield* renewPlan(settlement, subject.accountId, subject.plan)
  }
  return yield* provisionAccount(settlement, subject.plan, subject.facts)
})

/** A payment by signature: a payment request, a new agent's account or one more term of its plan. */
const x402 = {
  ...silent,
  /** In the order of the watcher. */
  lock: Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>) {
    const subjects = submissions.map((each) => settlementOf(each).subject)
    const requests = subjects.flatMap((each) =>
      each._tag === "payment_request" ? [each.requestId] : []
    )
    const accounts = subjects.flatMap((each) => (each._tag === "renewal" ? [each.accountId] : []))
    for (const id of requests.toSorted()) yield* (yield* PaymentRequests).lock(id)
    for (const id of accounts.toSorted()) yield* (yield* Accounts).lock(id)
  }),
  /** Whoever waits for one of them looks at it again. */
  progressed: Effect.fnUntraced(function* (submissions: ReadonlyArray<Submission>) {
    const { signal } = yield* Notifier
    yield* Effect.forEach(submissions, ({ id }) => signal("submissions", id), { discard: true })
  }),
  opened: Effect.fnUntraced(function* (submission: Submission) {
    const { subject } = settlementOf(submission)
    if (subject._tag === "payment_request") yield* recompute(subject.requestId)
  }),
  ended: (submissions: ReadonlyArray<Submission>) =>
    Effect.forEach(submissions, settled, { discard: true })
}

/** Gas that a wallet is lent for a submission, which looks for it itself. */
const loan = { ...silent, ended: () => Effect.void }

export const purposes = {
  send,
  refund,
  approval: step,
  bridge_permit: bridgePermit,
  bridge_departure: bridgeDeparture,
  bridge_delivery: bridgeDelivery,
  bridge_cancellation: bridgeDelivery,
  loan,
  solana_swap: solanaSwapping,
  swap_cancellation: { ...swapCancellation, ended: Step.ended },
  x402
}

type All = typeof purposes

declare module "../submissions/purposes.ts" {
  interface Registry extends All {}
}

/** Hands the registry to the rooms below. */
export const layer = Layer.succeed(Purposes, purposes)
