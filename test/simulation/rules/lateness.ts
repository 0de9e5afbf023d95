/** What must hold of money that is called late, in the commit that calls it so. */
import { DateTime } from "effect"
import type { Transfer } from "../../../core/payments/transfer.ts"
import type { World } from "../world.ts"

const ms = DateTime.toEpochMillis

interface Step {
  readonly before: Transfer | undefined
  readonly after: Transfer | undefined
}

/** I6: what came in time, by the expiry of that moment, is never called late; a request may be extended after. */
export const judgeLateness = (world: World, { before, after }: Step) => {
  if (after?.settlementIssue !== "late" || before?.settlementIssue === "late") return
  const requests = world.stores.all("payment requests")
  for (const pid of after.candidatePids) {
    const request = requests.find((each) => each.pid === pid)
    if (request === undefined || request.status === "cancelled") continue
    if (ms(after.blockTime) <= ms(request.expiresAt)) {
      world.bad("I6 money that came in time was called late")
    }
  }
}
