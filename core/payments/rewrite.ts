/** Writes a locked payment request back, and tells whoever keeps what it looked like once that is committed. */
import { Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"

export const rewrite = Effect.fnUntraced(function* (request: PaymentRequest) {
  yield* (yield* PaymentRequests).settle(request)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("requests"))
})
