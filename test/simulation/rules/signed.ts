/** What payers' signatures mean for the rows of a request, counted from the store of settlements as it stands. */
import type { Transfer } from "../../../core/payments/transfer.ts"
import { type Settlement, settlementOf } from "../../../core/x402/settlement.ts"
import type { Stores } from "../stores.ts"

const requestOf = ({ subject }: Settlement) =>
  subject._tag === "payment_request" ? subject.requestId : undefined

/** Signed for a request, not failed, and not in the records as its money yet. */
export const comingFor = (stores: Stores, requestId: string): bigint => {
  let coming = 0n
  for (const { submission } of stores.all("submissions")) {
    if (submission.purpose.requestId !== requestId) continue
    const settlement = settlementOf(submission)
    const { authorization, outcome, transferId } = settlement
    if (requestOf(settlement) !== requestId || outcome === "failed") continue
    const row = transferId === null ? undefined : stores.get("transfers", transferId)
    const stands = row?.requestId === requestId && row.state !== "reorged"
    const isAway = outcome === "paid" ? transferId === null : !stands
    if (isAway) coming += authorization.amountMicro
  }
  return coming
}

/** The request a transfer was signed for; every signature of a simulated payer is of a wallet of its own. */
export const signedFor = (stores: Stores, transfer: Transfer) => {
  const bound = stores
    .all("submissions")
    .find(({ submission }) => submission.terms.from === transfer.payerAddress)
  const id = bound?.submission.purpose.requestId
  const request = id === undefined ? undefined : stores.get("payment requests", id)
  const isOver = request?.status === "expired" || request?.status === "cancelled"
  return request === undefined || isOver || request.vaultId !== transfer.vaultId
    ? undefined
    : request
}
