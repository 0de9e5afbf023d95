/**
 * Refunds: a send that claims what it sends back. The claim is made in the very transaction that starts the
 * execution, so no number of refunds at once sends back more than came in.
 */
import { DateTime, Effect, Schema } from "effect"
import * as Usdc from "../money/usdc.ts"
import { isSame, locked } from "../payments/counted-for.ts"
import { from, NothingToRefund, received } from "../payments/received.ts"
import { Refunds } from "../payments/refund-ledger.ts"
import { leftOfAll } from "../payments/refund-share.ts"
import { refundSource, sourceIn } from "../payments/refund-source.ts"
import * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { endRefund } from "./end-refund.ts"
import { exposure, judged, payment, refusals, spends, start } from "./send.ts"

const terms = {
  ...payment,
  ...refundSource,
  /** Whether all of it came from the address it goes to. */
  isToPayer: Schema.Boolean
}
type Terms = Schema.Struct<typeof terms>["Type"]

/** Refuses more than is left. */
export const within = Effect.fnUntraced(function* (amountMicro: bigint, leftMicro: bigint) {
  if (amountMicro > 0n && amountMicro <= leftMicro) return
  const leftUsdc = Usdc.format(leftMicro)
  return yield* new NothingToRefund({
    param: "amountUsdc",
    message:
      leftMicro === 0n
        ? "All of it has gone back or is on its way back; `refunds` of the deposit or request shows how."
        : `Of what came in, ${leftUsdc} USDC may still go back; refund at most that.`,
    details: { refundableUsdc: leftUsdc }
  })
})

const covered = Effect.fnUntraced(function* (accountId: string, meant: Terms) {
  yield* judged(accountId, meant)
  const { shares, transfers } = yield* received(accountId, sourceIn(meant))
  yield* within(meant.amountSmallestUnit, leftOfAll(transfers, shares))
})

/** Refuses money that counts for something else than it did when the refund was proposed. */
const countsAsBefore = Effect.fnUntraced(function* (accountId: string, meant: Terms) {
  const now = yield* locked(accountId, sourceIn(meant))
  if (isSame(meant.countedFor, now)) return
  return yield* new NothingToRefund({
    param: meant.depositId === null ? "paymentRequestId" : "depositId",
    message:
      "What this money counts for has changed since the refund was proposed; propose it anew.",
    details: { countedFor: meant.countedFor ?? null, countsFor: now ?? null }
  })
})

/**
 * What came from the payee itself goes back first, then the rest, the oldest first. What the money counts for
 * is judged under the locks that those take who credit it, and cannot change before this ends.
 */
const claim = Effect.fnUntraced(function* ({ accountId, id }: Proposal, meant: Terms) {
  yield* countsAsBefore(accountId, meant)
  const { transfers } = yield* received(accountId, sourceIn(meant))
  const { others, theirs } = from(transfers, meant.toAddress)
  const outcome = yield* (yield* Refunds).claim({
    proposalId: id,
    accountId,
    amountMicro: meant.amountSmallestUnit,
    transferIds: [...theirs, ...others].map((each) => each.id),
    at: yield* DateTime.now
  })
  if (outcome._tag === "over") yield* within(meant.amountSmallestUnit, outcome.leftMicro)
})

export const refund = Kind.define("refund", {
  title: "Send money back",
  movesMoney: true,
  refusals: [...refusals, NothingToRefund],
  exposure,
  ended: endRefund,
  terms,
  summary: (to) =>
    `Refund ${Usdc.format(to.amountSmallestUnit)} USDC on ${to.chainId} from ${to.fromAddress} to ${to.toAddress}, ${to.isToPayer ? "who paid it" : "who is NOT whom it came from"}`,
  cosigned: ({ amountSmallestUnit }) => ({ action: "send", amountMicro: amountSmallestUnit }),
  spends,
  judge: covered,
  perform: Effect.fnUntraced(function* (proposal, meant) {
    yield* claim(proposal, meant)
    return yield* start(proposal, meant)
  })
})
