/**
 * The part of a refund's terms that says which money goes back, and what that counted for. It stands here,
 * below refunds themselves, so that whoever changes what money counts for can end the refunds that wait.
 */
import { Schema } from "effect"
import { CountedFor } from "./counted-for.ts"
import type { Source } from "./received.ts"

export const refundSource = {
  depositId: Schema.NullOr(Schema.String),
  paymentRequestId: Schema.NullOr(Schema.String),
  /** Left out by versions that did not bind a refund to it; those are not confirmed any more. */
  countedFor: Schema.optionalKey(CountedFor)
}

type RefundSource = Schema.Struct<typeof refundSource>["Type"]

/** Terms name one of the two, or none of our own code wrote them. */
export const sourceIn = ({
  depositId,
  paymentRequestId
}: Pick<RefundSource, "depositId" | "paymentRequestId">) =>
  ({ depositId, paymentRequestId }) as Source
