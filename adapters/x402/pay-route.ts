/**
 * A payment link as x402 clients see it: 402 with what is still owed, and the request as it stands once that
 * is paid. Whoever asks for a page gets the page; whoever sends a payment is never shown one.
 */
import { Cause, Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Deployment } from "../../core/operation/deployment.ts"
import { rateLimited } from "../../core/operation/rate-limit.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import { NotFound, type Refusal, UpstreamUnavailable } from "../../core/operation/refusal.ts"
import { pay, terms } from "../../core/payments/pay.ts"
import { publicRow } from "../../core/payments/public.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import * as View from "../../core/payments/view.ts"
import { Chains } from "../../core/ports/chains.ts"
import { PaymentRefused, type Terms } from "../../core/x402/offer.ts"
import type { Patience } from "../../core/x402/settle.ts"
import { isTaken } from "../../core/x402/settlement.ts"
import { extraOf } from "../../core/x402/verify.ts"
import { routedClientOf } from "../http/client-address.ts"
import { RequestId } from "../http/edge/request-id.ts"
import { refusalOf } from "../http/edge/unexpected.ts"
import { RecentReads } from "../http/recent-reads.ts"
import * as Answer from "./answer.ts"
import * as Payload from "./payload.ts"
import * as Protocol from "./protocol.ts"

export interface Options {
  /** How many proxies of ours stand in front and write `X-Forwarded-For`. */
  readonly proxies?: number
  readonly patience?: Patience
}

const {
  pid,
  status,
  amountUsd,
  amountSmallestUnit,
  amountReceivedSmallestUnit,
  amountRemainingSmallestUnit,
  settlementIssue,
  assetSymbol,
  tokenDecimals,
  chainId,
  payToAddress,
  paymentUrl,
  expiresAt,
  paidAt,
  txHash,
  method
} = View.fields

/** What a payer is told: nothing of the merchant's customer, metadata or own references. */
const PaymentResult = Schema.Struct({
  pid,
  status,
  amountUsd,
  amountSmallestUnit,
  amountReceivedSmallestUnit,
  amountRemainingSmallestUnit,
  settlementIssue,
  assetSymbol,
  tokenDecimals,
  chainId,
  payToAddress,
  description: View.fields.description,
  paymentUrl,
  expiresAt,
  paidAt,
  txHash,
  method
})

const encode = Schema.encodeEffect(Schema.toCodecJson(PaymentResult))

const missing = () => new NotFound({ message: "There is no payment request at this link." })

const away = (detail: string) =>
  new UpstreamUnavailable({
    message: `The chain does not respond, so payments are not possible now; try again. (${detail})`
  })

const resourceOf = Effect.fnUntraced(function* (request: PaymentRequest) {
  const { siteUrl } = yield* Deployment
  const resource: Protocol.Resource = {
    url: View.paymentUrl(siteUrl, request.pid),
    description: request.description ?? `Payment request ${request.pid}`,
    mimeType: "application/json"
  }
  return resource
})

/** What is asked now, in the words of the protocol. */
const offerOf = Effect.fnUntraced(function* (request: PaymentRequest, asked: Terms, error: string) {
  const extra = yield* extraOf(asked)
  return yield* Protocol.offer(asked, extra, yield* resourceOf(request), error)
})

const offered = Effect.fnUntraced(function* (given: string) {
  const request = yield* publicRow(given)
  if (request === undefined) return yield* missing()
  return yield* offerOf(request, yield* terms(request), "Payment required")
})

/** Reads the payment, and refuses one that was made for another address. */
const paymentIn = Effect.fnUntraced(function* (header: string, request: PaymentRequest) {
  const { connected } = yield* Chains
  const chainIds = connected.map(({ chain }) => chain.id)
  const paying = yield* Payload.read(header, Protocol.chainIdAmong(chainIds))
  const { url } = yield* resourceOf(request)
  if (paying.resourceUrl === undefined || paying.resourceUrl === url) return paying
  return yield* new PaymentRefused({
    reason: "invalid_resource",
    message: `The payment was signed for another URL than ${url}.`
  })
})

const paid = Effect.fnUntraced(function* (
  asking: Answer.Asking,
  request: PaymentRequest,
  { signed }: Payload.Paying,
  patience: Patience | undefined
) {
  const settlement = yield* pay(request, signed, patience)
  if (!isTaken(settlement)) return yield* Answer.unsettled(asking, settlement)
  const now = (yield* (yield* PaymentRequests).findPublic(request.pid)) ?? request
  const data = yield* Effect.orDie(encode(yield* View.view(now)))
  return HttpServerResponse.jsonUnsafe(
    { ok: true, data },
    { headers: yield* Answer.settledHeaders(settlement) }
  )
})

/** A payment that was not taken: what is asked instead, while anything is. */
const declined = Effect.fnUntraced(function* (
  asking: Answer.Asking,
  request: PaymentRequest,
  refused: PaymentRefused,
  paying: Payload.Paying | undefined
) {
  const outcome: Answer.Outcome = {
    chainId: request.chainId,
    payer: paying?.signed.authorization.from ?? "",
    transaction: "",
    reason: refused.reason
  }
  const offer = yield* offerOf(request, yield* terms(request), refused.reason)
  return yield* Answer.challenge(asking, offer, refused.message, outcome)
})

const answer = Effect.fnUntraced(function* (
  asking: Answer.Asking,
  given: string,
  header: string | undefined,
  { patience, proxies = 0 }: Options
) {
  const { read } = yield* RecentReads
  if (header === undefined) {
    const offer = yield* read(`offer ${given}`, offered(given))
    return yield* Answer.challenge(
      asking,
      offer,
      "Payment required: pay one of the offers in PAYMENT-REQUIRED by x402."
    )
  }
  const request = yield* publicRow(given)
  if (request === undefined) return yield* missing()
  const limits = yield* RateLimits
  const client = routedClientOf(asking.request, proxies)
  const standing = yield* limits.allowanceOf(client, "failed_payments")
  if (!standing.allowed) {
    const what = "Too many rejected payments from this address."
    return yield* rateLimited("failed_payments", standing, what)
  }
  let paying: Payload.Paying | undefined
  return yield* paymentIn(header, request).pipe(
    Effect.tap((read) =>
      Effect.sync(() => {
        paying = read
      })
    ),
    Effect.flatMap((read) => paid(asking, request, read, patience)),
    // Each costs us a question to the chain, so an address may fail only so often.
    Effect.catchTag("PaymentRefused", (refused) =>
      Effect.andThen(
        limits.consumeClient(client, "failed_payments"),
        declined(asking, request, refused, paying)
      )
    )
  )
})

/** A refusal that came instead of a payment says so in the words of the protocol too. */
const closedOutcome = (
  refusal: Refusal,
  header: string | undefined
): Answer.Outcome | undefined => {
  const closed = refusal._tag === "PAYMENT_REQUEST_NOT_OPEN" || refusal._tag === "ALREADY_SETTLED"
  const chain = refusal.details?.chainId
  if (header === undefined || !closed || typeof chain !== "string") return undefined
  const reason = `payment_request_${String(refusal.details?.status)}`
  return { chainId: chain, payer: "", transaction: "", reason }
}

/** A payment that came may have moved, whatever failed after it and whatever the method of the call. */
const failed = (requestId: string, header: string | undefined, defect: unknown) =>
  Effect.flip(
    refusalOf("A payment link failed", Cause.die(defect), {
      requestId,
      outcome: header === undefined ? "not_executed" : "unknown"
    })
  )

const serve = (options: Options) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const { pid: given = "" } = yield* HttpRouter.params
    const { siteUrl } = yield* Deployment
    // The edge gives every request its id; a middleware of routes has no other way to ask for it.
    const requestId = Option.getOrElse(yield* Effect.serviceOption(RequestId), () => "")
    const asking = { request, surroundings: { requestId, siteUrl } }
    const header = request.headers["payment-signature"]
    return yield* answer(asking, given, header, options).pipe(
      Effect.catchTag("ChainUnavailable", ({ message }) => Effect.fail(away(message))),
      Effect.catchDefect((defect) => failed(requestId, header, defect)),
      Effect.catch((refusal) => Answer.refused(asking, refusal, closedOutcome(refusal, header)))
    )
  })

const asksForPage = ({ headers, method: verb }: HttpServerRequest.HttpServerRequest): boolean =>
  verb === "GET" &&
  headers["payment-signature"] === undefined &&
  (headers.accept ?? "").includes("text/html")

const link = /^\/pay\/[^/?]+(?:\?|$)/u

type Needs = Exclude<
  Effect.Services<ReturnType<typeof serve>>,
  HttpServerRequest.HttpServerRequest | HttpRouter.RouteContext
>

/** Provided to the pages: leaves payment links to them only when a page is asked for. */
export const besidePages = (options: Options = {}) =>
  HttpRouter.middleware(
    Effect.map(
      Effect.context<Needs>(),
      (needs) => (page) =>
        Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
          asksForPage(request) || !link.test(request.url)
            ? page
            : Effect.provide(serve(options), needs)
        )
    )
  ).layer

/** `POST /pay/:pid`, for clients that pay with the method of the call they wanted to make. */
export const payByPost = (options: Options = {}) =>
  HttpRouter.add("POST", "/pay/:pid", serve(options))
