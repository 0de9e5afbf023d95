/**
 * The memo that a payment carries on its chain: the one its recipient requires, or the one that was asked for. Money
 * for a recipient that requires one never leaves without it.
 */
import { Effect } from "effect"
import { bytesOf, isCarried, maxBytes } from "../chains/memo.ts"
import * as Text from "../encoding/text.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import type { Recipient } from "./recipient.ts"

export const Memo = Text.Line(256)

/** Refuses a memo that the chain does not carry. */
export const checkMemo = Effect.fnUntraced(function* (
  param: "onChainMemo" | "requiredMemo",
  chainId: string,
  memo: string
) {
  if (isCarried(chainId, memo)) return
  const most = maxBytes(chainId)
  return yield* new InvalidRequest({
    param,
    message:
      most === 0
        ? `Payments on ${chainId} carry no memo; leave ${param} out.`
        : `The memo has ${bytesOf(memo)} bytes in UTF-8; at most ${most} fit on ${chainId}.`
  })
})

/** What a payment to the recipient carries; undefined when it carries nothing. */
export const memoFor = Effect.fnUntraced(function* (
  { chainId, requiredMemo }: Recipient,
  asked: string | undefined
) {
  if (asked !== undefined) yield* checkMemo("onChainMemo", chainId, asked)
  if (requiredMemo === null || asked === undefined) return requiredMemo ?? asked
  if (asked === requiredMemo) return asked
  return yield* new InvalidRequest({
    param: "onChainMemo",
    message:
      "This recipient requires another memo with each payment; leave onChainMemo out, and the required one is sent.",
    details: { requiredMemo }
  })
})
