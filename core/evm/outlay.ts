/** What transactions of the relayer may cost at most, as it is charged to the ledger of outlay. */
import { layOut, record } from "../policy/lay-out.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Conditions, Fees } from "./relay.ts"

/** In wei. */
export const costOf = (
  { gas, maxFeePerGas }: Pick<Fees, "gas" | "maxFeePerGas">,
  { dataFeeWei }: Pick<Conditions, "dataFeeWei">
): bigint => gas * maxFeePerGas + dataFeeWei

/** Charges a transaction of a submission; one in its place is charged with what it may cost more. */
export const charged = ({ chainId, id, purpose }: Submission, fees: Fees, conditions: Conditions) =>
  layOut({
    key: `submission ${id}`,
    chainId,
    accountId: purpose.accountId,
    units: costOf(fees, conditions)
  })

/** Charges a transaction that only uses a nonce up: without it nothing behind it would go on. */
export const recorded = (chainId: string, nonce: number, fees: Fees) =>
  record({
    key: `nonce ${nonce}`,
    chainId,
    accountId: null,
    units: costOf(fees, { dataFeeWei: 0n })
  })
