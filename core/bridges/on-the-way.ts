/**
 * What comes next once something has left. What was burnt is attested and minted, and nothing else ends it; an order is
 * filled, or taken back at the destination and given back at the source.
 */
import { DateTime, Schema } from "effect"
import { TransactionId } from "../chains/address.ts"
import * as Coin from "../chains/coin.ts"
import type { Fee, Moment, NextStep, Result, Step } from "../waits/next-step.ts"
import type { StepKind } from "../waits/wait.ts"
import type { Terms } from "./terms.ts"

/** What travels, as the waits for it are told. */
export const Travelling = Schema.Struct({
  departed: TransactionId,
  /** When what nobody delivers is taken back, where it can be. */
  takeBackAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type Travelling = typeof Travelling.Type

/** What arrived, as the wait for it keeps it. */
const Arrived = Schema.Struct({ boughtAmount: Schema.BigIntFromString })
/** What was given back, as the wait for it keeps it. */
const Returned = Schema.Struct({ refundedAmount: Schema.BigIntFromString })

const decode = <A>(schema: Schema.Codec<A, unknown>) =>
  Schema.decodeUnknownSync(Schema.toCodecJson(schema))
const decodeArrived = decode(Arrived)
const decodeReturned = decode(Returned)
const Json = Schema.toCodecJson(Travelling)
export const travellingIn = Schema.decodeUnknownSync(Json)
const encode = Schema.encodeSync(Json)

export type Watch =
  | "bridge_opening"
  | "bridge_departure"
  | "bridge_attestation"
  | "bridge_arrival"
  | "bridge_fulfilment"
  | "bridge_refund"

type WaitStep = Extract<Step, { readonly _tag: "wait" }>

const isWait = (step: Step): step is WaitStep => step._tag === "wait"

/** Where a wait of the execution stands, the newest of its watch. */
export const waitOf = (steps: ReadonlyArray<Step>, watch: Watch): WaitStep | undefined =>
  steps.filter(isWait).findLast(({ wait }) => wait.watch === watch)

/** How long it may stand before the operator is told. */
export const stuckAfterMinutes = 30
/** What nobody fills is taken back so long after it was opened. */
export const fillWithinMinutes = 10

/** What left, and what of the chain's own coin it gave along. */
export interface Left {
  readonly departed: TransactionId
  readonly openedAt: DateTime.Utc
  readonly coinUnits: bigint
}

const waiting = (
  kind: StepKind,
  watch: Watch,
  chainId: string,
  travelling: Travelling,
  { now }: Moment
): NextStep => ({
  _tag: "wait",
  kind,
  watch,
  chainId,
  terms: encode(travelling) as Schema.JsonObject,
  deadline: DateTime.add(now, { minutes: stuckAfterMinutes })
})

const coinFeeOf = ({ sell }: Terms, { coinUnits }: Left): ReadonlyArray<Fee> =>
  coinUnits === 0n
    ? []
    : [
        {
          kind: "protocol",
          symbol: Coin.of(sell.chainId).symbol,
          amount: String(coinUnits),
          amountUsd: null
        }
      ]

const resultOf = (approved: Terms, left: Left, journal: Schema.JsonObject): Result => {
  const { buy, sell, sellAmount } = approved
  const { boughtAmount } = decodeArrived(journal)
  const isLike = sell.symbol === buy.symbol && sell.decimals === buy.decimals
  const fee = isLike ? sellAmount - boughtAmount : 0n
  const bridging: ReadonlyArray<Fee> =
    fee > 0n ? [{ kind: "bridge", symbol: sell.symbol, amount: String(fee), amountUsd: null }] : []
  return {
    soldAmount: String(sellAmount),
    boughtAmount: String(boughtAmount),
    feesPaid: [...bridging, ...coinFeeOf(approved, left)]
  }
}

/** A burn is attested and brought there, and nothing else ends it. */
const afterBurn = (
  approved: Terms,
  steps: ReadonlyArray<Step>,
  left: Left,
  moment: Moment
): NextStep => {
  const { departed } = left
  const arrival = waitOf(steps, "bridge_arrival")
  if (arrival?.isDone === true) {
    const result = resultOf(approved, left, arrival.wait.journal)
    return { _tag: "end", outcome: "executed", result }
  }
  return waitOf(steps, "bridge_attestation")?.isDone === true
    ? waiting("mint", "bridge_arrival", approved.buy.chainId, { departed }, moment)
    : waiting("attest", "bridge_attestation", approved.sell.chainId, { departed }, moment)
}

/** What its cancellation gave of the destination's coin, which nobody gives back. */
const cancelFeeOf = ({ buy }: Terms, { cancelUnits }: Schema.JsonObject): ReadonlyArray<Fee> =>
  typeof cancelUnits !== "string" || cancelUnits === "0"
    ? []
    : [
        {
          kind: "relayer",
          symbol: Coin.of(buy.chainId).symbol,
          amount: cancelUnits,
          amountUsd: null
        }
      ]

const refunded =
  "Nobody filled the order; it was taken back, and all of it came back to the wallet."

/** An order is filled, or nobody can fill it any more and it is given back. */
const afterOrder = (
  approved: Terms,
  steps: ReadonlyArray<Step>,
  left: Left,
  moment: Moment
): NextStep => {
  const { departed, openedAt } = left
  const { buy, sell, sellAmount } = approved
  const fulfilment = waitOf(steps, "bridge_fulfilment")
  if (fulfilment === undefined) {
    const takeBackAt = DateTime.add(openedAt, { minutes: fillWithinMinutes })
    return waiting("fulfil", "bridge_fulfilment", buy.chainId, { departed, takeBackAt }, moment)
  }
  if (fulfilment.isDone) {
    const result = resultOf(approved, left, fulfilment.wait.journal)
    return { _tag: "end", outcome: "executed", result }
  }
  const refund = waitOf(steps, "bridge_refund")
  if (refund?.isDone !== true) {
    return waiting("refund", "bridge_refund", sell.chainId, { departed }, moment)
  }
  const { refundedAmount } = decodeReturned(refund.wait.journal)
  const result: Result = {
    soldAmount: String(sellAmount),
    boughtAmount: "0",
    refundedAmount: String(refundedAmount),
    feesPaid: cancelFeeOf(approved, fulfilment.wait.journal)
  }
  return { _tag: "end", outcome: "refunded", reason: refunded, result }
}

export const onTheWay = (
  approved: Terms,
  steps: ReadonlyArray<Step>,
  left: Left,
  moment: Moment
): NextStep =>
  approved.protocol === "dln"
    ? afterOrder(approved, steps, left, moment)
    : afterBurn(approved, steps, left, moment)
