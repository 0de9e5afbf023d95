/** The daily cap of a key as a pure rule: what it sends in one UTC day, and what the keys it made send. */
import type { Verdict } from "./limits.ts"

export interface KeyCap {
  readonly keyId: string
  readonly capMicro: bigint
}

export const judgeKey = (
  { capMicro }: KeyCap,
  usedMicro: bigint,
  amountMicro: bigint
): Verdict => ({
  rule: "key_daily",
  capMicro,
  usedMicro,
  passes: usedMicro + amountMicro <= capMicro
})
