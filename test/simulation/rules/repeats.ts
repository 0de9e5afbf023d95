/** Which second payments of a request its merchant is told of, counted from the rows as they stand. */
import { DateTime } from "effect"
import type { Transfer } from "../../../core/payments/transfer.ts"
import type { World } from "../world.ts"

const ms = DateTime.toEpochMillis
const dust = 10_000n

const cameBefore = (one: Transfer, other: Transfer) => {
  const [oneMs, otherMs] = [one, other].map(({ finalAt }) => (finalAt === null ? 0 : ms(finalAt)))
  return oneMs === otherMs ? one.id < other.id : (oneMs ?? 0) < (otherMs ?? 0)
}

/** Five second payments of a request are told, dust never. */
export const isEarlyRepeat = (world: World, transfer: Transfer) => {
  const [pid] = transfer.candidatePids
  const before = world.stores
    .all("transfers")
    .filter(
      (each) =>
        each.settlementIssue === "duplicate" &&
        each.state === "final" &&
        each.candidatePids[0] === pid &&
        cameBefore(each, transfer)
    )
  return before.length < 5 && transfer.amountMicro >= dust
}
