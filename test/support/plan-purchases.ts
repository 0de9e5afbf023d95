/** Plans bought by signature on a scripted chain. */
import { Effect, Layer } from "effect"
import { signedByPayer } from "../../adapters/memory/authorization.ts"
import { ChainScript } from "../../adapters/memory/chains.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { type Opening, onboard, renew, termsOf } from "../../core/agents/buy.ts"
import { openedView } from "../../core/agents/subscription.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import type { TierName } from "../../core/policy/plan.ts"
import { PolicySettings } from "../../core/policy/policy-settings.ts"
import * as Value from "./chain-values.ts"
import * as Rows from "./rows.ts"
import * as Steps from "./settlement-steps.ts"

/** The wallet plans are paid to. */
export const till = Value.lower(`0x${"7e".repeat(20)}`)

/** The treasury of `below`, which sells plans. */
export const selling = <A, E, R>(below: Layer.Layer<A | PolicySettings, E, R>) =>
  Layer.merge(
    below,
    Layer.effect(
      PolicySettings,
      Effect.map(PolicySettings, (settings) => ({ ...settings, plansPayTo: [till] }))
    ).pipe(Layer.provide(below))
  )

export const layer = (durable: Wiring.Durable, seed = 1) => selling(Wiring.layer(durable, seed))

/** What a payer who holds enough signs for a plan. */
export const signed = Effect.fnUntraced(function* (
  plan: TierName = "personal",
  over: Partial<Authorization> = {}
) {
  const [terms] = yield* termsOf(plan)
  if (terms === undefined) throw new Error("No chain is connected.")
  const authorization = signedByPayer({
    act: "transfer",
    chainId: terms.chainId,
    token: terms.token,
    from: Value.key(Rows.anAddress().toLowerCase()),
    to: terms.payTo,
    amountMicro: terms.amountMicro,
    nonce: Rows.aTxHash(),
    validBefore: (yield* (yield* EvmRelay).conditions(terms.chainId)).chainTime + 300,
    ...over
  })
  yield* (yield* ChainScript).fund(authorization.from, authorization.amountMicro)
  const accepted = { ...terms, name: "USD Coin", version: "2" }
  return { authorization, payload: { x402Version: 2, nonce: authorization.nonce }, accepted }
})

export type Signed = Effect.Success<ReturnType<typeof signed>>

const plain: Opening = { plan: "personal", name: undefined, contactEmail: undefined }

/** Hands a payment in and gives what its caller is told, with how it stands. */
export const handIn = Effect.fnUntraced(function* (
  payment: Signed,
  key?: string,
  opening: Partial<Opening> = {}
) {
  const { buyerKey, settlement } = yield* onboard(payment, { ...plain, ...opening }, key)
  return { outcome: settlement.outcome, told: yield* openedView(settlement, buyerKey) }
})

/** Hands it in and lets the chain go on until it is paid. */
export const bought = (payment: Signed, key?: string, opening: Partial<Opening> = {}) =>
  Steps.pushed(handIn(payment, key, opening))

export const renewed = (payment: Signed, accountId: string, plan: TierName = "personal") =>
  Steps.pushed(renew(payment, accountId, plan))
