/** What the chain takes for a transaction: a fee for each signature, and the priority that it bids for. */
import type { ReadonlyUint8Array } from "@solana/kit"
import type { Decoded, Instruction } from "./transaction.ts"

const lamportsPerSignature = 5000n
const budget = "ComputeBudget111111111111111111111111111111"
const setLimit = 2
const setPrice = 3
const unitsByDefault = 200_000n
/** What the runtime brings itself is assumed to take less. */
const builtins: ReadonlyArray<string> = [budget, "11111111111111111111111111111111"]
const unitsOfBuiltin = 3_000n
const maxUnits = 1_400_000n
const microPerLamport = 1_000_000n

const numberIn = (data: ReadonlyUint8Array, bytes: number): bigint =>
  data.slice(1, 1 + bytes).reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)

export const feeOf = ({ header, instructions, keys }: Decoded): bigint => {
  const isBudget = ({ programAddressIndex }: Instruction) => keys[programAddressIndex] === budget
  const set = (kind: number, bytes: number) => {
    const data = instructions.find((one) => isBudget(one) && one.data?.[0] === kind)?.data
    return data === undefined ? undefined : numberIn(data, bytes)
  }
  const assumed = instructions.reduce(
    (sum, { programAddressIndex }) =>
      sum + (builtins.includes(keys[programAddressIndex] ?? "") ? unitsOfBuiltin : unitsByDefault),
    0n
  )
  const units = set(setLimit, 4) ?? (assumed < maxUnits ? assumed : maxUnits)
  const micro = units * (set(setPrice, 8) ?? 0n)
  const priority = (micro + microPerLamport - 1n) / microPerLamport
  return lamportsPerSignature * BigInt(header.numSignerAccounts) + priority
}
