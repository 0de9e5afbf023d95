/**
 * Money of a request that ended half paid. It stands as deposits, and the request shows it as received until its
 * merchant makes it count for another request or for none: no money is ever shown as received twice.
 */
import { Effect } from "effect"
import * as Usdc from "../money/usdc.ts"
import { PaymentSettings } from "./payment-settings.ts"
import { rewrite } from "./recompute.ts"
import type { PaymentRequest } from "./request.ts"
import { endedStatuses } from "./status.ts"
import type { Transfer } from "./transfer.ts"
import { Transfers } from "./transfer-store.ts"

/** Final money of a request that expired half paid stands as deposits the merchant resolves. */
export const setAside = Effect.fnUntraced(function* (
  pid: string,
  credited: ReadonlyArray<Transfer>
) {
  const { assign } = yield* Transfers
  for (const transfer of credited) {
    if (transfer.state === "final") {
      yield* assign(transfer.id, {
        requestId: null,
        method: transfer.method,
        settlementIssue: "underpaid",
        candidatePids: [pid],
        resolution: null
      })
    }
  }
})

type Deposited = Pick<Transfer, "amountMicro" | "candidatePids" | "resolution" | "settlementIssue">

/** The pid of the request that an open deposit was set aside from. Dust is underpaid too, and never counted. */
export const setAsideFrom = Effect.fnUntraced(function* ({
  amountMicro,
  candidatePids,
  resolution,
  settlementIssue
}: Deposited) {
  const { dustMicro } = yield* PaymentSettings
  const isOne = settlementIssue === "underpaid" && resolution === null && amountMicro >= dustMicro
  return isOne ? candidatePids[0] : undefined
})

/** What a request that ended shows as received once a deposit is credited to it. */
export const receivedWith = (
  { pid, receivedMicro }: PaymentRequest,
  { amountMicro }: Deposited,
  from: string | undefined
): Usdc.Usdc => (from === pid ? receivedMicro : Usdc.add(receivedMicro, amountMicro))

/** Takes what counts for another request or for none now from what the locked request it was set aside from shows. */
export const takeFrom = Effect.fnUntraced(function* (
  request: PaymentRequest,
  { amountMicro }: Deposited
) {
  if (!endedStatuses.includes(request.status)) return
  yield* rewrite({ ...request, receivedMicro: Usdc.missing(request.receivedMicro, amountMicro) })
})
