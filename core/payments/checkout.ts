/**
 * Checkout sessions: a payment request minted on the vault of a customer the merchant knows by their
 * own id. Who the customer is comes from the vault, never from metadata a caller could set.
 */

import { Effect, Schema } from "effect"
import { Address } from "../chains/address.ts"
import * as Text from "../encoding/text.ts"
import { byScope } from "../operation/authority.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import {
  InvalidAmount,
  InvalidRequest,
  NotFound,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { customerFields, defaultNamespace } from "../wallets/customer.ts"
import type { Customer } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as Announce from "./announce.ts"
import { open } from "./open.ts"
import * as Terms from "./terms.ts"
import * as View from "./view.ts"
import { checkWatched, watchAll } from "./watched.ts"

const returnUrlForm =
  /^(https:\/\/[a-z0-9.-]+(:\d{1,5})?|http:\/\/(localhost|127\.0\.0\.1)(:\d{1,5})?)([/?#][^\s"<>\\]*)?$/iu

const ReturnUrl = Text.Line(2048).check(
  Schema.isPattern(returnUrlForm, {
    expected: "an https:// URL, or http:// on localhost",
    description: "An https:// URL, or http:// on localhost."
  })
)

/** Stamps who the customer is into the metadata; a caller may not set these keys. */
const stamp = Effect.fnUntraced(function* (
  metadata: Readonly<Record<string, Schema.Json>>,
  customer: Customer,
  checkoutSessionId: string
) {
  const taken = Terms.stamped.find((key) => key in metadata)
  if (taken !== undefined) {
    return yield* new InvalidRequest({
      param: `metadata.${taken}`,
      message: `metadata.${taken} is reserved: the treasury sets ${Terms.stamped.join(", ")} of a checkout session. Omit it.`
    })
  }
  return {
    ...metadata,
    customerExternalId: customer.externalId,
    customerNamespace: customer.namespace,
    checkoutSessionId
  }
})

const unknownCustomer = (customer: Customer) =>
  new NotFound({
    param: "customer.externalId",
    message:
      "This customer has no vault yet; create one with create_provisioning_job, naming the chainId, and try again once that job is completed (get_provisioning_job).",
    next: { operation: "create_provisioning_job", args: { customers: [{ ...customer }] } }
  })

export const createCheckoutSession = Operation.prepared("create_checkout_session", {
  summary:
    "Opens a checkout session for a provisioned customer: a payment request on their vault, with a link to send them to.",
  next: "Redirect the customer to checkoutUrl; provision on the payment_request.paid webhook.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: byScope,
  input: {
    customer: Schema.Struct(customerFields),
    ...Terms.amountFields,
    product: Schema.optionalKey(
      Schema.Struct({
        slug: Text.Line(100),
        name: Text.Line(200),
        externalSkuId: Text.Line(100)
      })
    ),
    ...Terms.merchantFields,
    metadata: Schema.optionalKey(Terms.SessionMetadata),
    expiryDays: Schema.optionalKey(
      Terms.ExpiryDays.annotate({
        description: `Days until it expires, 1 to 365. Default: ${Terms.defaultExpiryDays}, without expiresInMinutes.`
      })
    ),
    expiresInMinutes: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 525_600 })).annotate({
        description: "Minutes until it expires; instead of expiryDays."
      })
    ),
    successUrl: Schema.optionalKey(ReturnUrl),
    cancelUrl: Schema.optionalKey(ReturnUrl)
  },
  output: {
    checkoutSessionId: Schema.String,
    checkoutUrl: Schema.String,
    pid: Schema.String,
    id: Schema.String,
    paymentUrl: Schema.String,
    qrPayload: Schema.String,
    payToAddress: Address,
    chainId: Schema.String,
    amountUsd: View.fields.amountUsd,
    amountSmallestUnit: View.fields.amountSmallestUnit,
    status: View.fields.status,
    expiresAt: View.fields.expiresAt,
    vaultId: Schema.String,
    customer: View.Customer
  },
  refusals: [NotFound, InvalidAmount, UpstreamUnavailable],
  example: {
    input: {
      customer: { externalId: "user_42" },
      amountUsd: 49,
      product: { slug: "pro", name: "Pro plan", externalSkuId: "SKU-PRO" },
      expiresInMinutes: 30
    }
  },
  prepare: () => watchAll,
  handle: Effect.fnUntraced(function* (input, unwatched) {
    const { accountId } = yield* Caller
    const amountMicro = yield* Terms.amount(input)
    const expiresAt = yield* Terms.expiresAt(input)
    const customer: Customer = {
      externalId: input.customer.externalId,
      namespace: input.customer.namespace ?? defaultNamespace
    }
    const vault = yield* (yield* Wallets).vaultOf(accountId, customer)
    if (vault === undefined) return yield* unknownCustomer(customer)
    yield* checkWatched(vault.chainId, unwatched)
    const checkoutSessionId = `cs_${yield* (yield* Ids).base62(24)}`
    const request = yield* open(vault, {
      ...input,
      amountMicro,
      expiresAt,
      checkoutSessionId,
      metadata: yield* stamp(input.metadata ?? {}, customer, checkoutSessionId)
    })
    yield* Announce.created(request)
    const shown = yield* View.opened(request)
    return { ...shown, checkoutSessionId, checkoutUrl: shown.paymentUrl, customer }
  })
})
