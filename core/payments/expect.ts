/**
 * Says that money is expected on a vault, so that looks at its chain are at it more often. It saves time and decides
 * nothing: what is not expected is found all the same.
 */
import { DateTime, Effect } from "effect"
import { familyOf } from "../chains/address.ts"
import { Atomically } from "../ports/atomically.ts"
import type { PaymentRequest } from "./request.ts"
import { SettledBalances } from "./settled-balance-store.ts"

/** For how long a payment that comes late is still looked for early. */
const lateness = { hours: 24 }

/** After the transaction that opens or extends the request, which holds up nobody for it. */
export const expectMoney = Effect.fnUntraced(function* ({
  chainId,
  expiresAt,
  vaultId
}: PaymentRequest) {
  if (!familyOf(chainId).tellsByAddress) return
  const until = DateTime.add(expiresAt, lateness)
  const expected = (yield* SettledBalances).expect({ id: vaultId, chainId }, until)
  yield* (yield* Atomically).afterCommit(expected)
})
