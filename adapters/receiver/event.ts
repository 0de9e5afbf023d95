/** The webhook events and notices that a receiver gets, as they stand in the signed JSON. */

/** Every field is always there, null where it has no value. */
export interface PaymentRequestObject {
  /** The public id of the payment request. */
  readonly paymentRequestPid: string
  readonly status: "open" | "processing" | "partially_paid" | "paid" | "expired" | "cancelled"
  /** US dollars as a decimal string; use it for billing. */
  readonly amountUsd: string
  /** The same in the token's smallest unit. */
  readonly amountSmallestUnit: string
  readonly assetSymbol: string
  readonly tokenDecimals: number
  readonly chainId: string
  readonly payToAddress: string
  readonly vaultId: string
  readonly customer: { readonly externalId: string; readonly namespace: string } | null
  /** `cs_…`; beside the event's id, what to tell duplicates by. */
  readonly checkoutSessionId: string | null
  readonly product: {
    readonly slug: string
    readonly name: string
    readonly externalSkuId: string
  } | null
  readonly externalReference: string | null
  readonly metadata: Readonly<Record<string, unknown>>
  /** Times are ISO 8601, UTC. */
  readonly expiresAt: string
  readonly requestCreatedAt: string
  readonly paidAt: string | null
  readonly txHash: string | null
  /** `direct`, `checkout` or `x402`. */
  readonly method: string | null
  readonly payer: { readonly address: string; readonly method: string | null } | null
  readonly settlement: {
    readonly txHash: string
    readonly settledAt: string
    readonly method: string | null
  } | null
}

interface Envelope<Type extends string, Subject, More = Versioned> {
  /** `evt_…`; the same on every attempt and replay. */
  readonly id: string
  readonly object: "event"
  readonly type: Type
  /** Unix seconds. */
  readonly created: number
  /** False in the sandbox. */
  readonly livemode: boolean
  readonly api_version: string
  readonly data: { readonly object: Subject } & More
}

interface Versioned {
  /** Which event of its payment request this is, from 1 on: keep to the highest you have seen. */
  readonly version: number
}

export type PaymentRequestCreated = Envelope<
  "payment_request.created",
  PaymentRequestObject & { readonly checkoutUrl: string }
>

/** Fully settled: the point to provision. */
export type PaymentRequestPaid = Envelope<"payment_request.paid", PaymentRequestObject>

export type PaymentRequestPaymentFailed = Envelope<
  "payment_request.payment_failed",
  PaymentRequestObject & {
    readonly failure: { readonly reason: string; readonly method: string }
  }
>

export type PaymentRequestExpired = Envelope<"payment_request.expired", PaymentRequestObject>

export type WebhookTest = Envelope<
  "webhook.test",
  { readonly message: string; readonly endpointId: string },
  unknown
>

/** What somebody of the account should look at; only an endpoint that asked for notices gets it. */
export interface OperatorNotice {
  /** `ntc_…`; the same on every attempt and replay. */
  readonly id: string
  readonly object: "notice"
  readonly type:
    | "approval_requested"
    | "deposit_needs_review"
    | "send_failed"
    | "trade_stuck"
    | "bridge_refused"
    | "endpoint_failing"
    | "relayer_low"
    | "token_changed"
  /** Unix seconds. */
  readonly created: number
  /** False in the sandbox. */
  readonly livemode: boolean
  readonly api_version: string
  readonly data: {
    readonly object: {
      readonly noticeId: string
      /** What it is about: an account gets one notice of a type about it. */
      readonly subject: string
      /** A line for people. */
      readonly summary: string
      /** Where it is seen to, in the console. */
      readonly url: string
    }
  }
}

export type WebhookEvent =
  | PaymentRequestCreated
  | PaymentRequestPaid
  | PaymentRequestPaymentFailed
  | PaymentRequestExpired
  | WebhookTest
  | OperatorNotice
