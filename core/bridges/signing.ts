/**
 * When a wallet's key may sign for a bridge: the permit of the exact amount, the one call that lets it go, and calls
 * that bring it to its destination or back. Each field and each byte is derived again from the terms and compared.
 */
import type { DateTime } from "effect"
import { isSame } from "../chains/address.ts"
import { canonical } from "../encoding/canonical.ts"
import type { Journey } from "../ports/bridge.ts"
import { firstBroken, type SigningRequest } from "../proposals/kind.ts"
import type { Reading } from "./read-journey.ts"
import { permitPart } from "./steps.ts"
import { isTooLate, type Terms } from "./terms.ts"

export interface Records {
  readonly reading: Reading
  readonly journey: Journey
  /** Whether it was opened, so that the journey is more than the terms alone say. */
  readonly isOpened: boolean
  /** Whether its departure was handed over: the wallet's nonce is its until a block has used that up. */
  readonly isHandedOver: boolean
  /** Whether nothing more of its day may leave. */
  readonly isClosed: boolean
  readonly now: DateTime.Utc
}

const ofSender = (
  { chainId, from, token, walletId, amount }: SigningRequest,
  { fromAddress, fromWalletId, sell, sellAmount }: Terms
): ReadonlyArray<readonly [holds: boolean, violation: string]> => [
  [walletId === fromWalletId, "the terms name another wallet"],
  [chainId === sell.chainId, "the terms name another chain"],
  [isSame(chainId, from, fromAddress), "the terms name another address"],
  [isSame(chainId, token, sell.tokenAddress), "the terms name another token"],
  [amount.units === sellAmount, "the terms name another amount"]
]

const permitViolation = (request: SigningRequest, terms: Terms, { journey, reading }: Records) => {
  const { spender } = reading.bridge.departure(journey)
  return firstBroken([
    [terms.protocol === "cctp", "such a bridge takes no permit"],
    [request.act === "permit", "the permit of a bridge is nothing but a permit"],
    ...ofSender(request, terms),
    [isSame(request.chainId, request.to, spender), "the bridge takes by another contract"]
  ])
}

const departureViolation = (
  request: SigningRequest,
  terms: Terms,
  { journey, reading }: Records
) => {
  const { call, coinUnits, spender } = reading.bridge.departure(journey)
  return firstBroken([
    [request.act === "call", "a bridge departs by nothing but its call"],
    ...ofSender(request, terms),
    [isSame(request.chainId, request.to, spender), "the bridge is another contract"],
    [journey.minBuyUnits >= terms.minBuyAmount, "less would arrive than was approved"],
    [
      coinUnits <= (terms.maxCoin?.leaving ?? 0n),
      "more of the chain's coin would be given than was approved"
    ],
    [
      canonical(request.call) === canonical(call),
      "the call is not the one that follows from the terms"
    ]
  ])
}

/** Such a call can only bring to the receiver what left for them, or back to the sender what nobody delivered. */
const deliveryViolation = (
  { act, call, chainId, from, walletId }: SigningRequest,
  { buy, receiver, toWalletId }: Terms,
  { journey, reading }: Records
) =>
  firstBroken([
    [act === "call", "a delivery is nothing but a call"],
    [walletId === toWalletId, "the terms name another wallet"],
    [chainId === buy.chainId, "the terms name another chain"],
    [isSame(chainId, from, receiver), "the terms name another address"],
    [call !== null && reading.bridge.isArrival(journey, call), "the call ends something else"]
  ])

export const canSign = (
  request: SigningRequest,
  terms: Terms,
  records: Records
): string | undefined => {
  const isDelivery = request.part !== null && request.part !== permitPart
  // What was handed over in time may be replaced or given up later: either uses the same nonce up.
  const isBegun = request.part === null && records.isHandedOver
  if (!records.isOpened && request.walletId === terms.fromWalletId) return "it was not opened"
  if (!isDelivery && !isBegun && isTooLate(terms, records.now)) return "its time is over"
  if (!isDelivery && !isBegun && records.isClosed) return "its day is closed"
  if (request.part === permitPart) return permitViolation(request, terms, records)
  return request.part === null
    ? departureViolation(request, terms, records)
    : deliveryViolation(request, terms, records)
}
