/** The rule a refund adds to a transfer that is only judged: whether so much of what came in may still go back. */
import { Effect } from "effect"
import * as Usdc from "../money/usdc.ts"
import { type Named, received, sourceOf } from "../payments/received.ts"
import { leftOfAll } from "../payments/refund-share.ts"
import type { Recipient } from "../recipients/recipient.ts"

const rule = "refund_left" as const
const none = { capUsd: null, usedUsd: null, headroomUsd: null }

/** None for a transfer that names no deposit and no request. */
export const refundRule = Effect.fnUntraced(function* (
  { accountId, chainId, isOwn }: Recipient,
  amountMicro: bigint,
  named: Named
) {
  if (named.depositId === undefined && named.paymentRequestId === undefined) return []
  const money = yield* sourceOf(named).pipe(
    Effect.flatMap((source) => received(accountId, source)),
    Effect.catchTag("NOTHING_TO_REFUND", () => Effect.undefined)
  )
  if (money === undefined) return [{ rule, passes: false, ...none }]
  const cameMicro = money.transfers.reduce((sum, each) => sum + each.amountMicro, 0n)
  const leftMicro = leftOfAll(money.transfers, money.shares)
  return [
    {
      rule,
      passes: amountMicro <= leftMicro && !isOwn && chainId === money.chainId,
      capUsd: Usdc.format(cameMicro),
      usedUsd: Usdc.format(cameMicro - leftMicro),
      headroomUsd: Usdc.format(leftMicro)
    }
  ]
})
