/**
 * Takes the claims of payers' wallets. Anybody may send one, so each client has a rate limit; what a claim is
 * worth is judged by who signed it.
 */
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { rateLimited } from "../../../core/operation/rate-limit.ts"
import { RateLimits } from "../../../core/operation/rate-limits.ts"
import { InvalidRequest, NotFound } from "../../../core/operation/refusal.ts"
import { claimTransfer } from "../../../core/payments/claim-transfer.ts"
import { publicRow } from "../../../core/payments/public.ts"
import { routedClientOf } from "../../http/client-address.ts"
import * as Body from "../../http/reading/body.ts"

const Claim = Schema.Struct({
  txHash: Schema.String.check(Schema.isMaxLength(100)),
  payerAddress: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(64))),
  signature: Schema.optionalKey(Schema.String.check(Schema.isPattern(/^[0-9A-Za-z]{3,20002}$/u)))
})

const decode = Schema.decodeUnknownEffect(Claim, { onExcessProperty: "error" })

const read = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const { payerAddress, signature, txHash } = yield* Effect.mapError(
    Effect.flatMap(Body.readRouted(request), decode),
    (error) =>
      Schema.isSchemaError(error) ? new InvalidRequest({ message: "Invalid claim." }) : error
  )
  if ((payerAddress === undefined) !== (signature === undefined)) {
    return yield* new InvalidRequest({ message: "signature and payer must be sent together." })
  }
  return payerAddress === undefined || signature === undefined
    ? { txHash }
    : { txHash, signed: { payerAddress, signature } }
})

/** A client without a key has the rate limit of a key for what needs thought. */
export const limitClaims = Effect.fnUntraced(function* (client: string) {
  const allowance = yield* (yield* RateLimits).consumeClient(client, "claims")
  if (allowance.allowed) return
  return yield* rateLimited("claims", allowance, "Too many claims from this address.")
})

export const takeClaim = (proxies: number) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* limitClaims(routedClientOf(request, proxies))
    const claimed = yield* read(request)
    const row = yield* publicRow((yield* HttpRouter.params).pid ?? "")
    if (row === undefined)
      return yield* new NotFound({ message: "There is no payment request at this link." })
    return HttpServerResponse.jsonUnsafe(yield* claimTransfer(row, claimed))
  })
