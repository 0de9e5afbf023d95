/** What an agent is told of what it bought: the account, and its first key to whoever paid, for a day. */

import { DateTime, Effect, Schema } from "effect"
import * as Account from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { Address, TransactionId } from "../chains/address.ts"
import { defaultHours } from "../humans/enrolment.ts"
import * as Usdc from "../money/usdc.ts"
import { type Purchase, placeOf } from "../policy/purchase.ts"
import { Purchases } from "../policy/spending-ledger.ts"
import { Secrets } from "../ports/secrets.ts"
import * as Timestamp from "../time/timestamp.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import type { Settlement } from "../x402/settlement.ts"
import { read } from "./facts.ts"

const common = {
  account: Schema.Struct(Account.fields),
  billingPlan: Schema.String,
  subscriptionExpiresAt: Timestamp.Encoded.annotate({ description: "When this payment ends." }),
  amountUsd: Usdc.Decimal,
  chainId: Schema.String,
  txHash: TransactionId
}

export const openedFields = {
  ...common,
  apiKey: Schema.optionalKey(Schema.String).annotate({
    description: "The account's first API key, with all scopes; shown to the buyer for 24 hours."
  }),
  secretAvailable: Schema.Boolean,
  fundingWallet: Schema.Struct({ chainId: Schema.String, address: Address }).annotate({
    description: "The wallet that paid; it signs the agent's governance challenges."
  }),
  wallets: Schema.Array(
    Schema.Struct({ id: Schema.String, chainId: Schema.String, address: Address })
  ),
  claim: Schema.Struct({
    sent: Schema.Boolean,
    expiresAt: Schema.NullOr(Timestamp.Encoded)
  }).annotate({ description: "The link with which a person claims the account." })
}

export const renewedFields = common

const commonOf = Effect.fnUntraced(function* (purchase: Purchase) {
  // A purchase is of an account that is there, and accounts are never deleted.
  const account = (yield* (yield* Accounts).find(purchase.accountId)) as Account.Account
  return {
    account,
    billingPlan: purchase.plan,
    subscriptionExpiresAt: purchase.expiresAt,
    amountUsd: purchase.amountMicro,
    chainId: purchase.chainId,
    txHash: purchase.txHash
  }
})

/** The key, unless it is erased. */
const keyOf = Effect.fnUntraced(function* (purchase: Purchase, now: DateTime.Utc) {
  const { eraseAt, sealedKey } = purchase
  if (sealedKey === null || eraseAt === null || DateTime.isGreaterThanOrEqualTo(now, eraseAt)) {
    return undefined
  }
  return yield* (yield* Secrets).open(placeOf(purchase), sealedKey)
})

/** The account a settlement opened; `buyerKey` is what its caller brought, or was given at first. */
export const openedView = Effect.fnUntraced(function* (settlement: Settlement, buyerKey: string) {
  const purchase = yield* (yield* Purchases).ofSettlement(settlement.id)
  if (purchase === undefined || settlement.subject._tag !== "onboarding") return undefined
  const { contactEmail, buyer } = yield* read(settlement.subject.facts)
  const isBuyer = (yield* Secrets).digest(buyerKey) === buyer
  const key = isBuyer ? yield* keyOf(purchase, yield* DateTime.now) : undefined
  const { rows } = yield* (yield* Wallets).list(purchase.accountId, {}, { limit: 100 })
  return {
    ...(yield* commonOf(purchase)),
    ...(key === undefined ? {} : { apiKey: key }),
    secretAvailable: key !== undefined,
    fundingWallet: { chainId: purchase.chainId, address: purchase.payer },
    wallets: isBuyer ? rows.toReversed() : [],
    claim: {
      sent: contactEmail !== null,
      expiresAt:
        contactEmail === null ? null : DateTime.add(purchase.paidAt, { hours: defaultHours.claim })
    }
  }
})

/** The renewal a settlement paid for. */
export const renewedView = Effect.fnUntraced(function* (settlement: Settlement) {
  const purchase = yield* (yield* Purchases).ofSettlement(settlement.id)
  return purchase === undefined ? undefined : yield* commonOf(purchase)
})
