/**
 * A payment that starts while a trade holds its wallet's money waits for the end of the trade: what is being sold is
 * not sent, and the trade that was first is not robbed of what it sells.
 */
import { Effect } from "effect"
import { Sales } from "../sales/sale-store.ts"
import type { Admission } from "../submissions/purposes.ts"
import type { Submission } from "../submissions/submission.ts"
import * as Balance from "../wallets/balance.ts"
import { Wallets } from "../wallets/wallet-store.ts"

const go: Admission = { _tag: "go" }

const waiting: Admission = {
  _tag: "wait",
  reason: "A trade holds what the wallet has of it; it goes on when that has ended.",
  waitMs: 5_000
}

/** Asks the chain only while a sale of the token is open; one that does not answer is no reason to wait. */
export const admitBesideSales = Effect.fnUntraced(function* ({ purpose, terms }: Submission) {
  const { amount, wallet } = terms
  if (wallet === null) return go
  const open = yield* (yield* Sales).heldOf(wallet.id)
  const sold = open.filter(({ token }) => token === amount.token.address)
  if (sold.length === 0) return go
  const paying = yield* (yield* Wallets).find(purpose.accountId ?? "", wallet.id)
  const heldMicro = paying === undefined ? undefined : yield* Balance.held(paying)
  if (heldMicro === undefined) return go
  const soldUnits = sold.reduce((sum, { units }) => sum + units, 0n)
  return heldMicro - soldUnits >= amount.units ? go : waiting
})
