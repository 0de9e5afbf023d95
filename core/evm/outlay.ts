/** What transactions of the relayer may cost at most, as it is charged to the ledger of outlay. */
import { type Cost, record } from "../policy/lay-out.ts"
import type { Submission } from "../submissions/submission.ts"
import type { Authorization, Fees } from "./journal.ts"
import type { Conditions } from "./relay.ts"

/** A transaction that carries the signature of a key has so many bytes at most; the fee for bytes is told of these. */
export const carrierBytes = 600

/** What is not the signature. */
const bareBytes = carrierBytes - 65

/** The wallet of a contract signs with as many bytes as it likes: each is asked for as those of a key's signature are. */
export const withBytesOf = <C extends Pick<Conditions, "dataFeeWei">>(
  conditions: C,
  { signature }: Pick<Authorization, "signature">
): C => {
  const bytes = BigInt(bareBytes + Math.ceil((signature.length - 2) / 2))
  const told = BigInt(carrierBytes)
  return bytes <= told
    ? conditions
    : { ...conditions, dataFeeWei: (conditions.dataFeeWei * bytes + told - 1n) / told }
}

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
