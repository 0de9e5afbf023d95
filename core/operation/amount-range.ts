/** Lists that can be narrowed to an amount in USD: their two input fields, read in one place. */
import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import * as Usdc from "../money/usdc.ts"
import { InvalidRequest } from "./refusal.ts"

/** What is said to whoever wrote an amount otherwise. */
export const positiveDecimal =
  "Send a positive decimal up to a trillion with at most 6 fraction digits, such as 49 or 49.99."

/** An amount in USD as a JSON number or a decimal string, exactly; undefined when it is none. */
export const parse = (value: number | string): Usdc.Usdc | undefined =>
  typeof value === "number" ? Usdc.parseNumber(value) : Usdc.parse(value)

const Bound = (description: string) =>
  Schema.optionalKey(Schema.Union([Schema.Finite, Text.Line(40)]).annotate({ description }))

export const fields = {
  minAmountUsd: Bound("Of at least this amount in USD, where 1 USD is 1 USDC."),
  maxAmountUsd: Bound("Of at most this amount in USD.")
}

const readBound = (param: string, value: number | string | undefined) => {
  const micro = value === undefined ? undefined : parse(value)
  return value !== undefined && micro === undefined
    ? Effect.fail(new InvalidRequest({ param, message: positiveDecimal }))
    : Effect.succeed(micro)
}

/** The amounts that a list is narrowed to, both included. */
export const read = Effect.fnUntraced(function* (input: {
  readonly minAmountUsd?: number | string
  readonly maxAmountUsd?: number | string
}) {
  const minMicro = yield* readBound("minAmountUsd", input.minAmountUsd)
  const maxMicro = yield* readBound("maxAmountUsd", input.maxAmountUsd)
  if (minMicro !== undefined && maxMicro !== undefined && maxMicro < minMicro) {
    return yield* new InvalidRequest({
      param: "maxAmountUsd",
      message: "maxAmountUsd must not be below minAmountUsd."
    })
  }
  return { minMicro, maxMicro }
})
