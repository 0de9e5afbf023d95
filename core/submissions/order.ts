/** What a wallet is to sign, and in whose name; nothing of it is believed before the records say the same. */
import type { KeyRef } from "../chains/key.ts"
import type { Terms } from "./submission.ts"

export interface Order extends Pick<Terms, "act" | "from" | "to" | "amountMicro" | "identity"> {
  readonly proposalId: string
  readonly accountId: string
  readonly walletId: string
  readonly chainId: string
  readonly key: KeyRef
  /** Unix seconds on the chain. */
  readonly validBefore: number
}
