/**
 * The wire of x402 version 2, as its official packages write it. They are loaded when somebody first asks to
 * pay, since they cost a start more than everything a payer never asks for is worth.
 */
import type { PaymentRequired, PaymentRequirements, SettleResponse } from "@x402/core/types"
import { Effect } from "effect"
import { familyOf } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import type { Terms } from "../../core/x402/offer.ts"
import { loadOnce } from "../loading/load-once.ts"

const load = async () => {
  const [http, server, evm] = await Promise.all([
    import("@x402/core/http"),
    import("@x402/core/server"),
    import("@x402/evm/exact/server")
  ])
  return { ...http, ...server, ...evm }
}

const protocol = loadOnce(load)

const loaded = Effect.promise(protocol.get)

type Network = `${string}:${string}`

export const networkOf = (chainId: string): Network => {
  const chain = Chain.find(chainId)
  if (chain === undefined) throw new Error(`There is no chain ${chainId}.`)
  return chain.caip2 as Network
}

/** The chain of a network's name, among those that are connected. */
export const chainIdAmong =
  (chainIds: ReadonlyArray<string>) =>
  (network: string): string | undefined =>
    chainIds.find((chainId) => networkOf(chainId) === network)

/**
 * A facilitator that verifies and settles nothing itself: the journal does both, in one go and once. The
 * package only asks it what there is.
 */
const facilitator = (network: Network) => {
  const elsewhere = () =>
    Promise.reject(new Error("Settlements are submitted by the treasury's own worker."))
  return {
    verify: elsewhere,
    settle: elsewhere,
    getSupported: () =>
      Promise.resolve({
        kinds: [{ x402Version: 2, scheme: "exact", network }],
        extensions: [],
        signers: {}
      })
  }
}

export interface Resource {
  readonly url: string
  readonly description: string
  readonly mimeType: string
}

/** What is asked of a payer, and whether the offer a payload says it takes is this one. */
export interface Offer {
  readonly required: PaymentRequired
  /** For PAYMENT-REQUIRED. */
  readonly header: string
}

type Extra = Readonly<Record<string, string>>

/** On EVM chains by the scheme's own package. */
const requiredOnEvm = Effect.fnUntraced(function* (
  { amountMicro, chainId, maxTimeoutSeconds, payTo, token }: Terms,
  extra: Extra,
  resource: Resource,
  error: string
) {
  const { ExactEvmScheme, x402ResourceServer } = yield* loaded
  const network = networkOf(chainId)
  return yield* Effect.promise(async (): Promise<PaymentRequired> => {
    const server = new x402ResourceServer(facilitator(network))
    server.register(network, new ExactEvmScheme())
    await server.initialize()
    const accepts: ReadonlyArray<PaymentRequirements> = await server.buildPaymentRequirements({
      scheme: "exact",
      network,
      payTo,
      price: { asset: token, amount: amountMicro.toString(), extra: { ...extra } },
      maxTimeoutSeconds
    })
    return server.createPaymentRequiredResponse([...accepts], resource, error)
  })
})

/** On Solana as its scheme says; the package brings 17 MB that nothing else of it needs. */
const requiredOnSolana = (
  { amountMicro, chainId, maxTimeoutSeconds, payTo, token }: Terms,
  extra: Extra,
  resource: Resource,
  error: string
): Effect.Effect<PaymentRequired> =>
  Effect.succeed({
    x402Version: 2,
    error,
    resource,
    accepts: [
      {
        scheme: "exact",
        network: networkOf(chainId),
        amount: amountMicro.toString(),
        asset: token,
        payTo,
        maxTimeoutSeconds,
        extra: { ...extra }
      }
    ]
  })

const requiredOn = { evm: requiredOnEvm, solana: requiredOnSolana }

/** The way to pay on these terms: the token under its own name, to the smallest unit. */
export const offer = Effect.fnUntraced(function* (
  terms: Terms,
  extra: Extra,
  resource: Resource,
  error: string
) {
  const { encodePaymentRequiredHeader } = yield* loaded
  const { family } = familyOf(terms.chainId)
  const required = yield* requiredOn[family](terms, extra, resource, error)
  const found: Offer = { required, header: encodePaymentRequiredHeader(required) }
  return found
})

/** Several ways to pay for one thing. */
export const either = (first: Offer, others: ReadonlyArray<Offer>): Effect.Effect<Offer> =>
  Effect.map(loaded, ({ encodePaymentRequiredHeader }) => {
    const accepts = [first, ...others].flatMap(({ required }) => required.accepts)
    const required = { ...first.required, accepts }
    return { required, header: encodePaymentRequiredHeader(required) }
  })

/** For PAYMENT-RESPONSE. */
export const responseHeader = (response: SettleResponse) =>
  Effect.map(loaded, ({ encodePaymentResponseHeader }) => encodePaymentResponseHeader(response))
