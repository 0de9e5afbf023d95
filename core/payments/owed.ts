/** The open amount of a request: the amount less what was seen and what was signed for it. */
import { Effect } from "effect"
import { Settlements } from "../submissions/settlement-store.ts"
import type { PaymentRequest } from "./request.ts"
import { received } from "./settle.ts"
import { isPayable } from "./status.ts"
import { Transfers } from "./transfer-store.ts"

/** In smallest units; nothing once it is closed. */
export const owedMicro = Effect.fnUntraced(function* (request: PaymentRequest) {
  if (!isPayable(request.status)) return 0n
  const { finalMicro, inFlightMicro } = received(
    yield* (yield* Transfers).ofRequest(request.id),
    yield* (yield* Settlements).standing([request.id])
  )
  const left = request.amountMicro - finalMicro - inFlightMicro
  return left > 0n ? left : 0n
})
