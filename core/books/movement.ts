/**
 * A movement of the books: what one log of a chain did to one wallet, and what the records know of it. Money that the
 * treasury neither asked for nor sent is a movement like any other, and is named as such.
 */

import type { Usd } from "../money/usd.ts"
import type { Protocol } from "../ports/bridge.ts"
import type { TokenMovement } from "../ports/token-history.ts"
import type { Pinned } from "../tokens/token.ts"
import type { Wallet } from "../wallets/wallet.ts"

/**
 * `payment` pays a request and `deposit` none; `own_transfer` goes between two wallets of the account. A bridge is
 * three things: what leaves, what arrives, and what comes back. The last two are of nobody's doing here.
 */
export const kinds = [
  "payment",
  "deposit",
  "own_transfer",
  "send",
  "refund",
  "swap",
  "bridge_out",
  "bridge_in",
  "bridge_return",
  "unrecorded_in",
  "unrecorded_out"
] as const
export type Kind = (typeof kinds)[number]

/** What a movement of a bridge does to what is in transit. */
export interface Transit {
  readonly protocol: Protocol
  readonly token: Pinned
  /** Below zero for what is in transit no more. */
  readonly units: bigint
}

export interface Movement {
  readonly log: TokenMovement
  readonly wallet: Wallet
  readonly token: Pinned
  readonly kind: Kind
  /** What of it went to a venue, in units of the token. */
  readonly feeUnits: bigint
  readonly transit: Transit | null
  /** Undefined where no price of our own was kept. */
  readonly worthMicro: Usd | undefined
  readonly proposalId: string | null
  readonly depositId: string | null
  readonly pid: string | null
  readonly externalReference: string | null
  readonly customer: string | null
  readonly text: string
}
