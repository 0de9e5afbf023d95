/**
 * Buys a plan by a payment its payer signed (x402): for a new account, or for one more term of the caller's
 * own. The journal of settlements pays it once, and whatever it means happens when it is final.
 */

import { Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import * as Address from "../chains/address.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { PolicySettings } from "../policy/policy-settings.ts"
import { Chains } from "../ports/chains.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import type { Terms } from "../x402/offer.ts"
import { defaultPatience, type Patience, settle } from "../x402/settle.ts"
import type { Payment } from "../x402/verify.ts"
import { NothingToRenew, PlansNotSold } from "./plans.ts"

/** How long a payer's signature for a plan lasts. */
const maxTimeoutSeconds = 300

type PlanName = Account["tier"]

/** What a plan costs, on each connected chain on which a wallet is named that it is paid to. */
export const termsOf = Effect.fnUntraced(function* (plan: PlanName) {
  const { plans, plansPayTo } = yield* PolicySettings
  const { connected } = yield* Chains
  const offered = connected.flatMap(({ chain, usdc }): ReadonlyArray<Terms> => {
    const payTo = plansPayTo.find((each) => Address.parse(chain.id, each) !== undefined)
    if (payTo === undefined || !Address.familyOf(chain.id).takesAuthorizations) return []
    const amountMicro = plans[plan].priceMicro
    const to = Address.keyOf(chain.id, payTo)
    return [{ chainId: chain.id, token: usdc, payTo: to, amountMicro, maxTimeoutSeconds }]
  })
  if (offered.length === 0) {
    return yield* new PlansNotSold({
      message: "This treasury sells no plans; ask its operator for an account."
    })
  }
  return offered
})

const termsOn = Effect.fnUntraced(function* (plan: PlanName, chainId: string) {
  const all = yield* termsOf(plan)
  const found = all.find((terms) => terms.chainId === chainId)
  if (found !== undefined) return found
  return yield* new UnsupportedChain({
    message: "Plans cannot be paid on that chain.",
    details: { supported: all.map((terms) => terms.chainId) }
  })
})

export interface Opening {
  readonly plan: PlanName
  readonly name: string | undefined
  readonly contactEmail: string | undefined
}

/** Long enough that nobody guesses it who sees the payment on the chain. */
const minBuyerKey = 20
const defaultName = "Agent"

/**
 * Settles the payment for a new account. Gives also the key under which this caller reads the account's
 * first API key: the idempotency key it brought, or one that only whoever came first is right with.
 */
export const onboard = Effect.fnUntraced(function* (
  signed: Payment,
  { contactEmail, name, plan }: Opening,
  idempotencyKey: string | undefined,
  patience: Patience = defaultPatience
) {
  const isOwn = idempotencyKey !== undefined && idempotencyKey.length >= minBuyerKey
  const buyerKey = isOwn ? idempotencyKey : yield* (yield* Ids).base62(43)
  const buyer = (yield* Secrets).digest(buyerKey)
  const settlement = yield* settle(
    {
      ...signed,
      subject: {
        _tag: "onboarding",
        plan,
        facts: { name: name ?? defaultName, contactEmail: contactEmail ?? null, buyer }
      },
      terms: yield* termsOn(plan, signed.authorization.chainId),
      admit: Effect.void
    },
    patience
  )
  const { subject } = settlement
  const isBuyer = subject._tag === "onboarding" && subject.facts.buyer === buyer
  return { settlement, buyerKey, isBuyer, wasGiven: isBuyer && !isOwn }
})

/** Refuses to take money for a plan that never ends. */
export const requireEnding = Effect.fnUntraced(function* (accountId: string) {
  const account = yield* (yield* Accounts).lock(accountId)
  if (account?.subscriptionExpiresAt !== null && account !== undefined) return account
  return yield* new NothingToRenew({
    message: "This account's plan has no end, so it cannot be renewed."
  })
})

/** Settles the payment for one more term of an account's plan. */
export const renew = Effect.fnUntraced(function* (
  signed: Payment,
  accountId: string,
  plan: PlanName,
  patience: Patience = defaultPatience
) {
  return yield* settle(
    {
      ...signed,
      subject: { _tag: "renewal", accountId, plan },
      terms: yield* termsOn(plan, signed.authorization.chainId),
      admit: Effect.asVoid(requireEnding(accountId))
    },
    patience
  )
})
