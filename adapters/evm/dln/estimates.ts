/**
 * The service of limit orders over HTTP: what a token would become on another chain. Nothing it says is signed as it
 * stands; amounts are bounded by what was approved.
 */
import { Effect, Schema } from "effect"
import { BridgeUnavailable, OutOfBounds } from "../../../core/ports/bridge.ts"
import * as Provider from "../provider.ts"

export const publicUrl = "https://dln.debridge.finance"

const Units = Schema.String.check(Schema.isPattern(/^\d{1,78}$/u))

const maxSeconds = 86_400
const Seconds = Schema.Number.check(Schema.isBetween({ minimum: 0, maximum: maxSeconds }))

const Estimate = Schema.Struct({
  estimation: Schema.Struct({
    dstChainTokenOut: Schema.Struct({ amount: Units, recommendedAmount: Units })
  }),
  fixFee: Units,
  order: Schema.optionalKey(
    Schema.Struct({ approximateFulfillmentDelay: Schema.optionalKey(Seconds) })
  )
})

const Refused = Schema.Struct({ errorId: Schema.String })

export interface Question {
  readonly fromNumber: number
  readonly fromToken: string
  readonly toNumber: number
  readonly toToken: string
  readonly units: bigint
}

const defaultSeconds = 30

export const make = Effect.fnUntraced(function* (options: Provider.Options) {
  const { ask, decoded } = yield* Provider.make("The service of limit orders", options)
  return {
    /** What would arrive, every fee taken off. */
    estimate: Effect.fnUntraced(function* (question: Question) {
      const query = new URLSearchParams({
        srcChainId: String(question.fromNumber),
        srcChainTokenIn: question.fromToken,
        srcChainTokenInAmount: String(question.units),
        dstChainId: String(question.toNumber),
        dstChainTokenOut: question.toToken,
        dstChainTokenOutAmount: "auto",
        prependOperatingExpenses: "false"
      })
      const reply = yield* ask(`v1.0/dln/order/create-tx?${query}`)
      // A refusal may come with any status.
      const refused = Schema.decodeUnknownOption(Refused)(reply.body)
      if (refused._tag === "Some") {
        const { errorId } = refused.value
        if (errorId === "ERROR_LOW_GIVE_AMOUNT") {
          return yield* new OutOfBounds({ minUnits: question.units + 1n, maxUnits: null })
        }
        return yield* new BridgeUnavailable({
          detail: "The service of limit orders refuses this order now."
        })
      }
      const { estimation, fixFee, order } = yield* decoded(Estimate, reply)
      return {
        arrives: BigInt(estimation.dstChainTokenOut.recommendedAmount),
        nativeFee: BigInt(fixFee),
        seconds: Math.max(1, Math.ceil(order?.approximateFulfillmentDelay ?? defaultSeconds))
      }
    })
  }
})

export type Estimates = Effect.Success<ReturnType<typeof make>>
