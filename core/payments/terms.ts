/**
 * What a payment request may ask for: an amount in either of two forms that must agree, a time to live,
 * and bounded merchant data. Shared by create_payment_request and create_checkout_session.
 */
import { DateTime, Effect, Schema } from "effect"
import { canonical } from "../encoding/canonical.ts"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import * as AmountRange from "../operation/amount-range.ts"
import { InvalidAmount, InvalidRequest } from "../operation/refusal.ts"

const maxMetadata = 4096

const depthOf = (value: Schema.Json, depth = 1): number =>
  value === null || typeof value !== "object" || depth > 5
    ? depth
    : Math.max(depth, ...Object.values(value).map((each: Schema.Json) => depthOf(each, depth + 1)))

const textProblem = "must hold text without NUL characters and halves of surrogate pairs"

/** What a database or a reader of JSON could not give back unchanged, wherever it stands. */
const unkeepable = (value: Schema.Json): string | undefined => {
  if (typeof value === "string") {
    return value.includes("\u0000") || !value.isWellFormed() ? textProblem : undefined
  }
  if (value === null || typeof value !== "object") return undefined
  for (const [key, each] of Object.entries(value)) {
    const problem = Text.reservedKeys.includes(key)
      ? Text.reservedKeysProblem
      : (unkeepable(key) ?? unkeepable(each))
    if (problem !== undefined) return problem
  }
  return undefined
}

const metadataProblem = (metadata: Readonly<Record<string, Schema.Json>>) => {
  if (depthOf(metadata) > 5) return "must not have values nested more than 4 deep"
  const problem = unkeepable(metadata)
  if (problem !== undefined) return problem
  return Text.isLonger(canonical(metadata), maxMetadata)
    ? `must have at most ${maxMetadata} characters as JSON`
    : undefined
}

const metadataRule = "at most 20 keys, 4 levels and 4096 characters of JSON"
const metadataDescription = `Your own data, kept and sent back with every event: ${metadataRule}. Its keys have 1 to 64 characters; \`__proto__\`, \`constructor\` and \`prototype\` are reserved on every level.`

export const Metadata = Schema.Record(Text.TagKey, Schema.Json)
  .check(Schema.isMaxProperties(20), Schema.makeFilter(metadataProblem, { expected: metadataRule }))
  .annotate({ description: metadataDescription })

/** What the treasury says of a checkout session in its metadata; a caller may not set these keys. */
export const stamped = ["customerExternalId", "customerNamespace", "checkoutSessionId"] as const

/** The metadata of a checkout session. */
export const SessionMetadata = Metadata.annotate({
  description: `${metadataDescription} The treasury adds ${stamped.map((key) => `\`${key}\``).join(", ")}, which you cannot set.`
})

export const ExpiryDays = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 365 })).annotate(
  { description: "Days until it expires, 1 to 365." }
)

export const amountFields = {
  amountSmallestUnit: Schema.optionalKey(
    Text.Line(40).annotate({
      description: "The amount in smallest units: `49000000` is 49 USDC. Instead of amountUsd."
    })
  ),
  amountUsd: Schema.optionalKey(
    Schema.Union([Schema.Finite, Text.Line(40)]).annotate({
      description: "The amount in USD, where 1 USD is 1 USDC; at most 6 decimals."
    })
  )
}

export const merchantFields = {
  description: Schema.optionalKey(Text.Prose(500)),
  externalReference: Schema.optionalKey(Text.Line(200)),
  metadata: Schema.optionalKey(Metadata)
}

const smallestForm = /^[1-9]\d{0,18}$/u

const refuse = (param: string, message: string) => new InvalidAmount({ param, message })

const fromSmallest = (text: string) => {
  if (!smallestForm.test(text)) return undefined
  const units = BigInt(text)
  return units <= Usdc.maxMicro ? Usdc.make(units) : undefined
}

/** The amount asked for, exactly; both forms together only when they are equal. */
export const amount = Effect.fnUntraced(function* (input: {
  readonly amountSmallestUnit?: string
  readonly amountUsd?: number | string
}) {
  const { amountSmallestUnit, amountUsd } = input
  if (amountSmallestUnit === undefined && amountUsd === undefined) {
    return yield* refuse(
      "amountUsd",
      'Send amountUsd (49 or "49.00") or amountSmallestUnit ("49000000").'
    )
  }
  const units = amountSmallestUnit === undefined ? undefined : fromSmallest(amountSmallestUnit)
  if (amountSmallestUnit !== undefined && units === undefined) {
    return yield* refuse(
      "amountSmallestUnit",
      'Send smallest units as a positive integer up to 10^18 in a string: "49000000" for 49 USDC.'
    )
  }
  const usd = amountUsd === undefined ? undefined : AmountRange.parse(amountUsd)
  if (amountUsd !== undefined && usd === undefined) {
    return yield* refuse("amountUsd", AmountRange.positiveDecimal)
  }
  if (units !== undefined && usd !== undefined && units !== usd) {
    return yield* refuse("amountUsd", "amountUsd and amountSmallestUnit differ; send one of them.")
  }
  return (units ?? usd) as Usdc.Usdc
})

export const defaultExpiryDays = 30

export const expiresAt = Effect.fnUntraced(function* (input: {
  readonly expiryDays?: number
  readonly expiresInMinutes?: number
}) {
  const now = yield* DateTime.now
  if (input.expiresInMinutes === undefined) {
    return DateTime.add(now, { days: input.expiryDays ?? defaultExpiryDays })
  }
  if (input.expiryDays !== undefined) {
    return yield* new InvalidRequest({
      param: "expiresInMinutes",
      message: "Send expiryDays or expiresInMinutes, not both."
    })
  }
  return DateTime.add(now, { minutes: input.expiresInMinutes })
})
