/**
 * The requests of a vault that a transfer may be meant for. What is read and locked is bounded, so that no
 * vault, however many requests it has seen, holds up the chain that all accounts share.
 */
import { Effect } from "effect"
import { newestFirst } from "../operation/page.ts"
import { standing } from "../x402/settlement.ts"
import { received } from "./recompute.ts"
import { type Incoming, maxNamed, takes } from "./reconcile.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import { Transfers } from "./transfer-store.ts"

/**
 * Of the requests that take money, how many of each status are looked at; beyond them only such as ask for
 * the amount or lack it. Those that expire last are looked at first: when more than one of them is in
 * time, the one that is meant must be told by its amount, and when they are not, no other is.
 */
const maxPayable = 100

/** The requests of a vault that take money and that an amount may be meant for, locked. */
export const lockNear = Effect.fnUntraced(function* (vaultId: string, amountMicro: bigint) {
  return yield* (yield* PaymentRequests).lockPayableNear({ vaultId, amountMicro, max: maxPayable })
})

/** With what has come for each, money in flight included. */
const withComing = Effect.fnUntraced(function* (requests: ReadonlyArray<PaymentRequest>) {
  const ids = requests.map(({ id }) => id)
  const transfers = yield* (yield* Transfers).ofRequests(ids)
  const settlements = yield* standing(ids)
  const transfersOf = Map.groupBy(transfers, ({ requestId }) => requestId)
  const settlementsOf = Map.groupBy(settlements, ({ subject }) =>
    subject._tag === "payment_request" ? subject.requestId : undefined
  )
  return requests.map((request) => {
    const got = received(transfersOf.get(request.id) ?? [], settlementsOf.get(request.id))
    return { ...request, comingMicro: got.finalMicro + got.inFlightMicro }
  })
})

/** Those that ended say only whom late money may have been meant for, so nobody waits for them. */
export const candidatesOf = Effect.fnUntraced(function* (
  vaultId: string,
  { amountMicro, blockTime }: Pick<Incoming, "amountMicro" | "blockTime">
) {
  const payable = yield* lockNear(vaultId, amountMicro)
  if (payable.some((each) => takes(each, { blockTime }))) {
    return yield* withComing(payable)
  }
  const ended = yield* (yield* PaymentRequests).endedNear({ vaultId, amountMicro, max: maxNamed })
  const order = [...ended, ...payable].sort((a, b) => -newestFirst(a, b))
  return yield* withComing(order)
})
