/** Opens a payment request on a vault: the write behind create_payment_request and checkout sessions. */
import { DateTime, Effect, Schema } from "effect"
import { record } from "../audit/record.ts"
import * as Address from "../chains/address.ts"
import * as Base58 from "../encoding/base58.ts"
import { Id } from "../encoding/id.ts"
import * as Usdc from "../money/usdc.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import {
  InvalidAmount,
  InvalidRequest,
  NotFound,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { ofReference } from "../submissions/identity.ts"
import { Identity } from "../timeline/identity.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { expectMoney } from "./expect.ts"
import { wantTokenAccount } from "./open-token-account.ts"
import type { PaymentRequest, Product } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import * as Terms from "./terms.ts"
import * as View from "./view.ts"
import { checkWatched, watchAll } from "./watched.ts"

export interface RequestInput {
  readonly amountMicro: Usdc.Usdc
  readonly expiresAt: DateTime.Utc
  readonly description?: string
  readonly externalReference?: string
  readonly metadata?: Readonly<Record<string, Schema.Json>>
  readonly product?: Product
  readonly checkoutSessionId?: string
  readonly successUrl?: string
  readonly cancelUrl?: string
}

/** The address that names a request, the same again for its id; null where payments name none. */
const referenceOf = Effect.fnUntraced(function* (chainId: string, requestId: string) {
  const { derive } = yield* Identity
  if (!Address.familyOf(chainId).takesReferences) return null
  const digits = derive(ofReference(requestId))
  const bytes = Uint8Array.from(digits.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16))
  return Address.keyOf(chainId, Base58.encode(bytes))
})

/** Opens it on the vault and tells the audit log. */
export const open = Effect.fnUntraced(function* (vault: Wallet, asked: RequestInput) {
  const { keyId } = yield* Caller
  const ids = yield* Ids
  const now = yield* DateTime.now
  const id = yield* ids.uuid
  const request: PaymentRequest = {
    id,
    pid: `pr_${yield* ids.base62(22)}`,
    accountId: vault.accountId,
    vaultId: vault.id,
    chainId: vault.chainId,
    payToAddress: vault.address,
    reference: yield* referenceOf(vault.chainId, id),
    amountMicro: asked.amountMicro,
    receivedMicro: Usdc.zero,
    status: "open",
    settlementIssue: "none",
    description: asked.description ?? null,
    externalReference: asked.externalReference ?? null,
    metadata: asked.metadata ?? {},
    customer: vault.customer,
    product: asked.product ?? null,
    checkoutSessionId: asked.checkoutSessionId ?? null,
    successUrl: asked.successUrl ?? null,
    cancelUrl: asked.cancelUrl ?? null,
    expiresAt: asked.expiresAt,
    createdAt: now,
    updatedAt: now,
    paidAt: null,
    txHash: null,
    method: null,
    payerAddress: null,
    wasAttempted: false
  }
  yield* (yield* PaymentRequests).open(request)
  yield* wantTokenAccount(request)
  yield* expectMoney(request)
  yield* record({
    accountId: vault.accountId,
    actor: keyId,
    action: "payment_request.created",
    subjectType: "payment_request",
    subjectId: request.id,
    facts: { pid: request.pid, amountSmallestUnit: request.amountMicro.toString() }
  })
  return request
})

const vaultOf = Effect.fnUntraced(function* (walletMappingId: string) {
  const vault = yield* findOwn(
    { param: "walletMappingId", what: "vault", operation: "list_wallets" },
    (accountId) => Wallets.use(({ find }) => find(accountId, walletMappingId))
  )
  if (vault.kind !== "collection") {
    return yield* new InvalidRequest({
      param: "walletMappingId",
      message: "This wallet is not a collection vault; create one with create_provisioning_job."
    })
  }
  return vault
})

export const createPaymentRequest = Operation.prepared("create_payment_request", {
  summary:
    "Opens a payment request (an invoice) for an amount of USDC on a customer's vault and returns its link and QR payload.",
  next: "Share paymentUrl. A webhook reports the payment at once; get_payment_request shows the status.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: {
    walletMappingId: Id("The id of the collection vault that receives the money."),
    ...Terms.amountFields,
    ...Terms.merchantFields,
    expiryDays: Schema.optionalKey(Terms.ExpiryDays.annotate({ default: Terms.defaultExpiryDays }))
  },
  output: View.fields,
  refusals: [NotFound, InvalidAmount, UpstreamUnavailable],
  example: {
    input: {
      walletMappingId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
      amountUsd: 49,
      description: "Pro plan, November"
    }
  },
  // What a request takes of its vault never changes, and outside of a transaction vaults are looked up together.
  prepare: Effect.fnUntraced(function* (input) {
    const amountMicro = yield* Terms.amount(input)
    const vault = yield* vaultOf(input.walletMappingId)
    yield* checkWatched(vault.chainId, yield* watchAll)
    return { amountMicro, vault }
  }),
  handle: Effect.fnUntraced(function* (input, { amountMicro, vault }) {
    const expiresAt = yield* Terms.expiresAt(input)
    const request = yield* open(vault, { ...input, amountMicro, expiresAt })
    return yield* View.opened(request)
  })
})
