/** Signing secrets: how one is made, what Standard Webhooks reads out of it, and how it is rotated. */
import { DateTime, Effect, Schema } from "effect"
import { requireInForce } from "../accounts/in-force.ts"
import { record } from "../audit/record.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { NotFound } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import * as Endpoint from "./endpoint.ts"
import { WebhookEndpoints } from "./endpoint-store.ts"
import { holdEndpoint } from "./find.ts"

const prefix = "whsec_"

const toBase64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)
const fromBase64 = Schema.decodeSync(Schema.Uint8ArrayFromBase64)
const fromHex = Schema.decodeSync(Schema.Uint8ArrayFromHex)

/** `whsec_` and base64 of 32 random bytes; the whole text is the key of our own signature. */
export const newSecret = Effect.gen(function* () {
  return `${prefix}${toBase64(yield* (yield* Ids).bytes(32))}`
})

/** Standard Webhooks takes the bytes behind the prefix for the key, where we take the text itself. */
export const standardKey = (secret: string): Uint8Array => fromBase64(secret.slice(prefix.length))

export const hexToBase64 = (hex: string): string => toBase64(fromHex(hex))

const longestGraceSeconds = 7 * 24 * 3600

/**
 * Gives an endpoint a new signing secret, shown once. The one before it signs beside it only for as long as
 * the merchant asks for; there are never more than two.
 */
export const rotateMerchantWebhookSecret = Operation.make("rotate_merchant_webhook_secret", {
  summary: "Replaces a webhook endpoint's signing secret and returns the new one once.",
  next: "Store the secret, then call send_merchant_webhook_test.",
  scope: "payment_requests:write",
  sideEffect: "write",
  authority: requireInForce,
  input: {
    id: Endpoint.EndpointId,
    gracePeriodSeconds: Schema.optionalKey(
      Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: longestGraceSeconds })).annotate({
        description:
          "How long deliveries are signed with both secrets, `v1=<new>,v1=<old>`; at most 7 days. Default: 0."
      })
    )
  },
  output: {
    ...Endpoint.fields,
    secret: Schema.optionalKey(Schema.String),
    secretAvailable: Schema.Boolean
  },
  refusals: [NotFound],
  secrets: ["secret"],
  handle: Effect.fnUntraced(function* ({ id, gracePeriodSeconds = 0 }) {
    const { accountId, keyId } = yield* Caller
    const endpoint = yield* holdEndpoint(id)
    const secret = yield* newSecret
    const now = yield* DateTime.now
    const rotated: Endpoint.Endpoint = {
      ...endpoint,
      sealedSecret: yield* (yield* Secrets).seal(Endpoint.secretPlace(endpoint), secret),
      previousSecret:
        gracePeriodSeconds === 0
          ? null
          : {
              sealed: endpoint.sealedSecret,
              endsAt: DateTime.add(now, { seconds: gracePeriodSeconds })
            },
      updatedAt: now
    }
    yield* (yield* WebhookEndpoints).revise(rotated)
    yield* record({
      accountId,
      actor: keyId,
      action: "merchant_webhook.secret_rotated",
      subjectType: "merchant_webhook",
      subjectId: id,
      facts: { gracePeriodSeconds: String(gracePeriodSeconds) }
    })
    return { ...Endpoint.viewOf(rotated, now), secret, secretAvailable: true }
  })
})
