/** What transactions of the relayer may cost at most, as it is charged to the ledger of outlay. */
import { type Cost, record } from "../policy/lay-out.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Fees } from "./journal.ts"
import type { Conditions } from "./relay.ts"

/** In wei. */
export const costOf = (
  { gas, maxFeePerGas }: Pick<Fees, "gas" | "maxFeePerGas">,
  { dataFeeWei }: Pick<Conditions, "dataFeeWei">
): bigint => gas * maxFeePerGas + dataFeeWei

/** What a transaction of a submission is charged with, and what it lends; one in its place with what it may cost more. */
export const chargeOf = (
  { chainId, id, purpose, terms }: Submission,
  fees: Fees,
  conditions: Conditions
): Cost => ({
  key: `submission ${id}`,
  chainId,
  accountId: purpose.accountId,
  units: costOf(fees, conditions) + (terms.act === "lend" ? terms.amount.units : 0n)
})

/** Charges a transaction that only uses a nonce up: without it nothing behind it would go on. */
export const recorded = (chainId: string, nonce: number, fees: Fees) =>
  record({
    key: `nonce ${nonce}`,
    chainId,
    accountId: null,
    units: costOf(fees, { dataFeeWei: 0n })
  })
