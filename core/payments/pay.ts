/**
 * Pays a payment request by a signature its payer made (x402): exactly what is still owed, bound to this one
 * request before anything is handed to the chain. What cannot be paid any more is refused before it moves.
 */
import { Clock, DateTime, Duration, Effect } from "effect"
import * as Address from "../chains/address.ts"
import type { Usdc } from "../money/usdc.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { Chains, type Connected } from "../ports/chains.ts"
import { type Authorization, wrongAmount } from "../x402/authorization.ts"
import { PaymentRefused, type Terms } from "../x402/offer.ts"
import { defaultPatience, type Patience, settle } from "../x402/settle.ts"
import { find } from "../x402/settlement.ts"
import type { Payment } from "../x402/verify.ts"
import { owedMicro } from "./recompute.ts"
import { rejectPayment } from "./reject-payment.ts"
import { AlreadySettled, type PaymentRequest, PaymentRequestNotOpen } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"

/** How long a payer's signature for a request lasts. */
export const maxTimeoutSeconds = 180

const chainOf = Effect.fnUntraced(function* ({ chainId }: PaymentRequest) {
  const { connected } = yield* Chains
  const able = connected.filter(({ chain }) => Address.familyOf(chain.id).takesAuthorizations)
  const found = able.find(({ chain }) => chain.id === chainId)
  if (found !== undefined) return found
  return yield* new UnsupportedChain({
    message:
      "No signature can pay this payment request on its chain; send the USDC to its address instead.",
    details: { supported: able.map(({ chain }) => chain.id) }
  })
})

const closed = (request: PaymentRequest, status: "expired" | "cancelled") =>
  new PaymentRequestNotOpen({
    message: `This payment request is ${status}; ask the sender for a new one.`,
    details: { pid: request.pid, status, chainId: request.chainId }
  })

/** What a payer is asked for now, or why nothing is asked of anybody any more. */
const owed = Effect.fnUntraced(function* (request: PaymentRequest) {
  const { expiresAt, pid, status } = request
  if (status === "cancelled" || status === "expired") return yield* closed(request, status)
  const left = yield* owedMicro(request)
  if (left === 0n) {
    return yield* new AlreadySettled({
      message: `A payment for this request has arrived or is pending (${status}); nothing more is due.`,
      details: { pid, status, chainId: request.chainId }
    })
  }
  // The chain is the judge of what came in time; a signature that is not made yet is too late at once.
  if (DateTime.isLessThan(expiresAt, yield* DateTime.now)) return yield* closed(request, "expired")
  return left
})

const termsOf = (
  { payToAddress, pid }: PaymentRequest,
  connected: Connected,
  amountMicro: Usdc
): Terms => ({
  chainId: connected.chain.id,
  token: connected.usdc,
  payTo: Address.keyOf(connected.chain.id, payToAddress),
  amountMicro,
  maxTimeoutSeconds,
  memo: pid
})

/** The terms on which a request can be paid by a signature now. */
export const terms = Effect.fnUntraced(function* (request: PaymentRequest) {
  return termsOf(request, yield* chainOf(request), yield* owed(request))
})

/** In the transaction that binds the signature: the request locked, and judged once more. */
const admit = Effect.fnUntraced(function* (requestId: string, authorization: Authorization) {
  const request = (yield* (yield* PaymentRequests).lock(requestId)) as PaymentRequest
  if ((yield* owed(request)) === authorization.amountMicro) return
  return yield* new PaymentRefused({
    reason: wrongAmount(authorization),
    message: "The amount due has changed; request the link again to get the current one."
  })
})

const subjectOf = ({ accountId, id, pid }: PaymentRequest) => ({
  _tag: "payment_request" as const,
  accountId,
  requestId: id,
  pid
})

const isUnderWay = Effect.fnUntraced(function* (authorization: Authorization) {
  const known = yield* find(authorization)
  return known !== undefined && known.outcome !== "failed"
})

const lookEvery = Duration.millis(100)

/** The watcher comes to the block in its own time; a payer is told of it once the request says so too. */
const caughtUp = Effect.fnUntraced(function* (request: PaymentRequest, { finalMs }: Patience) {
  const requests = yield* PaymentRequests
  const endsAt = (yield* Clock.currentTimeMillis) + finalMs
  const status = Effect.map(requests.findPublic(request.pid), (now) => now?.status)
  while ((yield* status) === "processing" && (yield* Clock.currentTimeMillis) < endsAt) {
    yield* Effect.sleep(lookEvery)
  }
})

/**
 * A signature that is under way says itself how it stands; only a new one is held to what is owed now. A
 * copy may have come first between the two looks, and then nothing is owed because of that very signature.
 */
const askedOf = Effect.fnUntraced(function* (
  request: PaymentRequest,
  authorization: Authorization
) {
  if (yield* isUnderWay(authorization)) return authorization.amountMicro
  return yield* Effect.catch(owed(request), (refusal) =>
    Effect.flatMap(isUnderWay(authorization), (isNow) =>
      isNow ? Effect.succeed(authorization.amountMicro) : Effect.fail(refusal)
    )
  )
})

const settling = Effect.fnUntraced(function* (
  request: PaymentRequest,
  signed: Payment,
  patience: Patience
) {
  const { authorization } = signed
  const connected = yield* chainOf(request)
  const amountMicro = yield* askedOf(request, authorization)
  const settlement = yield* settle(
    {
      ...signed,
      subject: subjectOf(request),
      terms: termsOf(request, connected, amountMicro),
      admit: admit(request.id, authorization)
    },
    patience
  )
  if (settlement.outcome === "paid") yield* caughtUp(request, patience)
  return settlement
})

const reasonOf = (error: Effect.Error<ReturnType<typeof settling>>): string => {
  if (error._tag === "PaymentRefused") return error.reason
  return error._tag === "PAYMENT_REQUEST_NOT_OPEN" ? String(error.details?.status) : ""
}

/**
 * Pays it once; the same signature again gives the same answer, whatever has become of the request. A
 * payment that is not taken is told to the merchant, within bounds.
 */
export const pay = (
  request: PaymentRequest,
  signed: Payment,
  patience: Patience = defaultPatience
) =>
  Effect.tapError(settling(request, signed, patience), (error) =>
    rejectPayment(request.id, signed.authorization, reasonOf(error))
  )
