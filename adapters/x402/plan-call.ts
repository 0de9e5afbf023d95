/**
 * One call that buys a plan by x402: the challenge with what it costs, the payment that came with it, and
 * how that stands. What is not known to have failed is never said to have failed.
 */
import { Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { termsOf } from "../../core/agents/buy.ts"
import * as Input from "../../core/operation/input.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { rateLimited } from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import { UnknownField, UpstreamUnavailable } from "../../core/operation/refusal.ts"
import type { TierName } from "../../core/policy/plan.ts"
import { Chains } from "../../core/ports/chains.ts"
import { PaymentRefused } from "../../core/x402/offer.ts"
import { PaymentRequired } from "../../core/x402/payment-required.ts"
import type { Patience } from "../../core/x402/settle.ts"
import type { Settlement } from "../../core/x402/settlement.ts"
import { extraOf } from "../../core/x402/verify.ts"
import { routedClientOf } from "../http/client-address.ts"
import * as Body from "../http/reading/body.ts"
import * as Query from "../http/reading/query.ts"
import * as Answer from "./answer.ts"
import * as Payload from "./payload.ts"
import * as Protocol from "./protocol.ts"

export interface Options {
  /** How many proxies of ours stand in front and write `X-Forwarded-For`. */
  readonly proxies?: number
  readonly patience?: Patience
}

export interface Call extends Answer.Asking {
  readonly spec: Operation.OperationSpec
  /** Where it is sold, from the site root. */
  readonly path: string
  readonly plan: TierName
  readonly options: Options
}

/** The fields of a call, decoded by what is sold; none is taken from the query. */
export const fieldsOf = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  spec: Operation.OperationSpec
) {
  const [stray] = (yield* Query.parse(request.url)).keys()
  if (stray !== undefined) {
    return yield* new UnknownField({
      param: stray,
      message: `${spec.name} takes its fields from the body; "${stray}" is not read from the query.`
    })
  }
  return yield* Input.decode(spec, yield* Body.readRouted(request))
})

const resourceOf = ({ path, spec, surroundings }: Call): Protocol.Resource => ({
  url: `${surroundings.siteUrl}${path}`,
  description: spec.summary,
  mimeType: "application/json"
})

/** 402: what the plan costs on each chain that answers, and why a payment that came was not taken. */
const challenge = Effect.fnUntraced(function* (
  call: Call,
  message: string,
  outcome?: Answer.Outcome
) {
  const said = outcome?.reason ?? "Payment required"
  const offers = yield* Effect.forEach(yield* termsOf(call.plan), (terms) =>
    Effect.option(
      Effect.flatMap(extraOf(terms), (extra) =>
        Protocol.offer(terms, extra, resourceOf(call), said)
      )
    )
  )
  const [first, ...others] = offers.flatMap(Option.toArray)
  if (first === undefined) {
    return yield* new UpstreamUnavailable({
      message: "No chain responds, so payments are not possible now; try again."
    })
  }
  return yield* Answer.challenge(call, yield* Protocol.either(first, others), message, outcome)
})

/** A payment that was not taken, whoever it was of, and what is asked instead. */
const declined = Effect.fnUntraced(function* (
  call: Call,
  refused: PaymentRefused,
  signed: Payload.Paying["signed"] | undefined
) {
  const [terms] = yield* termsOf(call.plan)
  return yield* challenge(call, refused.message, {
    chainId: signed?.authorization.chainId ?? terms?.chainId ?? "",
    payer: signed?.authorization.from ?? "",
    transaction: "",
    reason: refused.reason
  })
})

/** Reads the payment, and refuses one that was made for another address. */
const paymentIn = Effect.fnUntraced(function* (header: string, call: Call) {
  const { connected } = yield* Chains
  const chainIds = connected.map(({ chain }) => chain.id)
  const paying = yield* Payload.read(header, Protocol.chainIdAmong(chainIds))
  const { url } = resourceOf(call)
  if (paying.resourceUrl === undefined || paying.resourceUrl === url) return paying.signed
  return yield* new PaymentRefused({
    reason: "invalid_resource",
    message: `The payment was signed for another URL than ${url}.`
  })
})

type Take<E, R> = (
  signed: Payload.Paying["signed"]
) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>

/** Asks for a payment, or takes the one that came; each that is not taken counts against its address. */
export const sell = Effect.fnUntraced(function* <E, R>(call: Call, take: Take<E, R>) {
  const header = call.request.headers["payment-signature"]
  if (header === undefined) {
    return yield* challenge(
      call,
      "Payment required: pay one of the offers in PAYMENT-REQUIRED by x402."
    )
  }
  const limits = yield* RateLimits
  const client = routedClientOf(call.request, call.options.proxies ?? 0)
  const standing = yield* limits.allowanceOf(client, "failed_payments")
  if (!standing.allowed) {
    const what = "Too many rejected payments from this address."
    return yield* rateLimited("failed_payments", standing, what)
  }
  let signed: Payload.Paying["signed"] | undefined
  const taking = Effect.gen(function* () {
    signed = yield* paymentIn(header, call)
    return yield* take(signed)
  })
  return yield* Effect.catchIf(
    taking,
    (error): error is PaymentRefused & typeof error => error instanceof PaymentRefused,
    (refused) =>
      Effect.andThen(
        limits.consumeClient(client, "failed_payments"),
        declined(call, refused as PaymentRefused, signed)
      )
  )
})

/** Not final yet: the same call again hears what becomes of it. Nothing says that it failed. */
const pending = Effect.fnUntraced(function* (
  call: Call,
  settlement: Settlement,
  buyerKey: string | undefined
) {
  const outcome = { ...Answer.outcomeOf(settlement), reason: "settlement_pending" }
  const refusal = new PaymentRequired({
    message:
      "The payment was submitted; send the same PAYMENT-SIGNATURE and Idempotency-Key again to learn its result.",
    outcome: "unknown",
    details: {
      reason: outcome.reason,
      transaction: outcome.transaction,
      ...(buyerKey === undefined ? {} : { idempotencyKey: buyerKey })
    }
  })
  return yield* Answer.refused(call, refusal, outcome)
})

/**
 * The answer to a payment: what it bought, or how it stands. `buyerKey` is told while it is on its way, to
 * a caller who brought no idempotency key of its own.
 */
export const answered = Effect.fnUntraced(function* <E, R>(
  call: Call,
  settlement: Settlement,
  bought: Effect.Effect<unknown, E, R>,
  buyerKey?: string
) {
  if (settlement.outcome === "failed") {
    return yield* Answer.unsettled(call, settlement)
  }
  const told = settlement.outcome === "paid" ? yield* bought : undefined
  if (told === undefined) return yield* pending(call, settlement, buyerKey)
  const data = yield* Input.encode(call.spec, told)
  return HttpServerResponse.jsonUnsafe(
    { ok: true, data },
    { headers: yield* Answer.settledHeaders(settlement) }
  )
})
