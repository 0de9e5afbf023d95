/**
 * Answers to those who pay by x402: the challenge, what became of a payment, and refusals, each with our own
 * body beside the protocol's headers. None is ever kept by a cache, since each is about one payer's money.
 */
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Refusal } from "../../core/operation/refusal.ts"
import { PaymentRequired } from "../../core/x402/payment-required.ts"
import { isTaken, type Settlement } from "../../core/x402/settlement.ts"
import * as Answer from "../http/answer.ts"
import type * as Refusals from "../http/refusals.ts"
import * as Protocol from "./protocol.ts"

type Headers = Readonly<Record<string, string>>

const unkept: Headers = { "cache-control": "private, no-store" }

export interface Asking {
  readonly request: HttpServerRequest.HttpServerRequest
  readonly surroundings: Refusals.Surroundings
}

/** What became of a payment, as PAYMENT-RESPONSE says it. */
export interface Outcome {
  readonly chainId: string
  readonly payer: string
  readonly transaction: string
  /** Why it was not taken; undefined when it was. */
  readonly reason: string | undefined
}

const responseOf = ({ chainId, payer, reason, transaction }: Outcome): Effect.Effect<Headers> =>
  Effect.map(
    Protocol.responseHeader({
      success: reason === undefined,
      ...(reason === undefined ? {} : { errorReason: reason }),
      payer,
      transaction,
      network: Protocol.networkOf(chainId)
    }),
    (header) => ({ "payment-response": header })
  )

/** How a settlement stands: taken in a block, failed, or still on its way. */
export const outcomeOf = (settlement: Settlement): Outcome => {
  const { authorization, chainId, outcome, reason, txHash, txIds } = settlement
  const told = outcome === "failed" ? reason : null
  return {
    chainId,
    payer: authorization.from,
    transaction: txHash ?? txIds.at(-1) ?? "",
    reason: isTaken(settlement) ? undefined : (told ?? "settlement_pending")
  }
}

/** A refusal of ours, with what became of the payment when there was one. */
export const refused = Effect.fnUntraced(function* (
  { request, surroundings }: Asking,
  refusal: Refusal,
  outcome?: Outcome
) {
  const told = outcome === undefined ? {} : yield* responseOf(outcome)
  return Answer.refused(request, refusal, surroundings, { ...unkept, ...told })
})

/** 402: how to pay, and why the payment that came with the request was not taken. */
export const challenge = Effect.fnUntraced(function* (
  asking: Asking,
  offer: Protocol.Offer,
  message: string,
  outcome?: Outcome
) {
  const told = outcome === undefined ? {} : yield* responseOf(outcome)
  const refusal = new PaymentRequired({
    message,
    details: {
      ...(outcome?.reason === undefined ? {} : { reason: outcome.reason }),
      x402Version: 2,
      accepts: offer.required.accepts
    }
  })
  return Answer.refused(asking.request, refusal, asking.surroundings, {
    ...unkept,
    ...told,
    "payment-required": offer.header
  })
})

/** 402 of a payment that is on its way, or that failed; nothing more is asked for meanwhile. */
export const unsettled = Effect.fnUntraced(function* (asking: Asking, settlement: Settlement) {
  const outcome = outcomeOf(settlement)
  const isPending = outcome.reason === "settlement_pending"
  const refusal = new PaymentRequired({
    message: isPending
      ? "The payment was submitted; send the same PAYMENT-SIGNATURE again to learn its result."
      : "The chain rejected the payment; request the offer again and sign the new one.",
    outcome: isPending ? "unknown" : "not_executed",
    details: { reason: outcome.reason, transaction: outcome.transaction }
  })
  return yield* refused(asking, refusal, outcome)
})

/** The headers of an answer to a payment that was taken. */
export const settledHeaders = (settlement: Settlement): Effect.Effect<Headers> =>
  Effect.map(responseOf(outcomeOf(settlement)), (told) => ({ ...unkept, ...told }))
