/** Payments by signature handed in at a payment link over HTTP, on a scripted chain. */
import { Effect, Layer } from "effect"
import * as RateLimits from "../../adapters/memory/rate-limits.ts"
import { Store } from "../../adapters/memory/store.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import type { Limits } from "../../core/operation/rate-limit.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import { Chains } from "../../core/ports/chains.ts"
import * as Links from "./payment-link-server.ts"

export const impatient = { patience: { landMs: 60, finalMs: 60 } }

export const unhurried = {
  reads: 999,
  writes: 999,
  quotes: 999,
  confirms: 999,
  failures: 999,
  anonymous: 999
}

/** Links whose answers wait for nothing. */
export const world = (limits: Limits = unhurried) =>
  Links.served(impatient).pipe(
    Layer.provideMerge(
      Layer.merge(
        Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1),
        RateLimits.layer(limits)
      )
    )
  )

export type Change = (payload: { resource: unknown; accepted: Record<string, unknown> }) => void

/** PAYMENT-SIGNATURE as a client makes it of the offer and what it signed. */
const header = Effect.fnUntraced(function* (
  request: PaymentRequest,
  { amountMicro, from, nonce, signature, to, validBefore }: Authorization,
  change: Change = () => undefined
) {
  const [connected] = (yield* Chains).connected
  const payload = {
    x402Version: 2,
    resource: { url: `${Wiring.siteUrl}/pay/${request.pid}` } as unknown,
    accepted: {
      scheme: "exact",
      network: "eip155:31337",
      amount: request.amountMicro.toString(),
      asset: connected?.usdc,
      payTo: request.payToAddress,
      maxTimeoutSeconds: 180,
      extra: { name: "USD Coin", version: "2" }
    } as Record<string, unknown>,
    payload: {
      signature,
      authorization: {
        from,
        to,
        value: amountMicro.toString(),
        validAfter: "0",
        validBefore: String(validBefore),
        nonce
      }
    }
  }
  change(payload)
  return Buffer.from(JSON.stringify(payload)).toString("base64")
})

export const sent = Effect.fnUntraced(function* (
  request: PaymentRequest,
  authorization: Authorization,
  change?: Change
) {
  const headers = { "payment-signature": yield* header(request, authorization, change) }
  return yield* Links.fetched(request.pid, { headers })
})
