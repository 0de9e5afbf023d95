/**
 * Pays a request with money that is worth nothing, from a button on its page. Only a sandbox has such a payer; where
 * there is none there is no button, and the address behind it leads nowhere.
 */
import { Context, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Address } from "../../../core/chains/address.ts"
import type { Usdc } from "../../../core/money/usdc.ts"
import { InvalidRequest, NotFound, UpstreamUnavailable } from "../../../core/operation/refusal.ts"
import { publicRequest } from "../../../core/payments/public.ts"

export interface Due {
  readonly pid: string
  readonly chainId: string
  readonly to: Address
  readonly amountMicro: Usdc
  /** What a wallet would read to pay it. */
  readonly uri: string
}

export interface TrialPayer {
  /** The chains it has money on. */
  readonly chainIds: ReadonlyArray<string>
  readonly pay: (due: Due) => Promise<unknown>
}

const nobody: TrialPayer = {
  chainIds: [],
  pay: () => Promise.reject(new Error("Nobody pays here."))
}

export const TrialPayer = Context.Reference<TrialPayer>("bursar/pages/TrialPayer", {
  defaultValue: () => nobody
})

export const canPay = (chainId: string): Effect.Effect<boolean> =>
  Effect.map(TrialPayer, ({ chainIds }) => chainIds.includes(chainId))

/** A form of another site would spend nothing of worth, and still be none of its business. */
const isOwn = ({ headers }: HttpServerRequest.HttpServerRequest) =>
  headers["sec-fetch-site"] === undefined || headers["sec-fetch-site"] === "same-origin"

export const payForTrial = Effect.gen(function* () {
  const { pid = "" } = yield* HttpRouter.params
  const request = yield* publicRequest(pid)
  if (request === undefined || !(yield* canPay(request.chainId))) {
    return yield* new NotFound({ message: "There is nothing to pay with test money at this link." })
  }
  if (!isOwn(yield* HttpServerRequest.HttpServerRequest)) {
    return yield* new InvalidRequest({ message: "Pay from the request's own page." })
  }
  const { chainId, dueMicro, dueUri, payToAddress } = request
  if (dueUri !== null) {
    const { pay } = yield* TrialPayer
    yield* Effect.tryPromise({
      try: () => pay({ pid, chainId, to: payToAddress, amountMicro: dueMicro, uri: dueUri }),
      catch: () =>
        new UpstreamUnavailable({
          message: "The test payment was not sent. Try again in a moment."
        })
    })
  }
  return HttpServerResponse.redirect(`/pay/${pid}`, { status: 303 })
})
