/**
 * Makes the transaction that a payer's wallet signs and sends. Anybody may ask, and each asking costs the chain's nodes
 * something, so each client has the rate limit of claims.
 */
import { Effect, Schema } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { InvalidRequest } from "../../../core/operation/refusal.ts"
import { payerTransaction } from "../../../core/payments/payer-transaction.ts"
import { routedClientOf } from "../../http/client-address.ts"
import * as Body from "../../http/reading/body.ts"
import { limitClaims } from "./claims.ts"

const Asking = Schema.Struct({ payerAddress: Schema.String.check(Schema.isMaxLength(64)) })

const decode = Schema.decodeUnknownEffect(Asking, { onExcessProperty: "error" })

/** What a browser is answered. */
export type Answer =
  | { readonly _tag: "made"; readonly transaction: string }
  | { readonly _tag: "too_little"; readonly held: string }
  | { readonly _tag: "no_coin" }

export const makeTransaction = (proxies: number) =>
  Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    yield* limitClaims(routedClientOf(request, proxies))
    const { payerAddress } = yield* Effect.mapError(
      Effect.flatMap(Body.readRouted(request), decode),
      (error) =>
        Schema.isSchemaError(error)
          ? new InvalidRequest({
              param: "payerAddress",
              message:
                "Send a JSON object with payerAddress alone, the address of the wallet that pays."
            })
          : error
    )
    const made = yield* payerTransaction((yield* HttpRouter.params).pid ?? "", payerAddress)
    const answer: Answer = made._tag === "too_little" ? { _tag: made._tag, held: made.held } : made
    return HttpServerResponse.jsonUnsafe(answer)
  })
