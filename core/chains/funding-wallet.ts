/** The wallet that paid for an agent's account; its signature stands in for the passkey that an agent has not. */

import type { Address } from "./address.ts"
/** A wallet that may sign for an account: the one that paid for it. */
export interface FundingWallet {
  readonly chainId: string
  /** In the chain's display form. */
  readonly address: Address
}
