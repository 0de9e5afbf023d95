/**
 * The journal of one send or approval: what was signed, wrapped and handed to the network, written down before each
 * step so that a process may die between any two lines (design: write down before acting).
 */
import type { DateTime } from "effect"
import type { KeyRef } from "../chains/key.ts"

/** A wallet moves its tokens (EIP-3009), or lets a spender take them (EIP-2612). */
export type Act = "transfer" | "permit"

/** What a wallet signed for the token to act on, whoever carries it there. */
export interface Authorization {
  readonly act: Act
  readonly chainId: string
  readonly token: string
  readonly from: string
  /** Who is paid, or who may take. */
  readonly to: string
  readonly amountMicro: bigint
  /**
   * Of a transfer: the 32 bytes of its identity, hex, so the token pays a proposal once.
   * Of a permit: the token's count of the wallet's permits, in decimal; only the next one is taken.
   */
  readonly nonce: string
  /** Unix seconds on the chain up to which the token refuses it; what our own wallets sign has none. */
  readonly validAfter?: number
  /** Unix seconds on the chain; after it the token refuses the authorization for ever. */
  readonly validBefore: number
  readonly signature: string
}

/** One transaction of the relayer that carries the authorization; of several, one at most can pay. */
export interface Carrier {
  readonly txHash: string
  /** The exact signed bytes, hex; only these are ever broadcast. */
  readonly raw: string
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** The most gas it may use. */
  readonly gas: bigint
  readonly at: DateTime.Utc
}

/** What is carried by a relayer: the nonce it holds, and the transactions made under it. */
export type Carriage = Pick<Execution, "chainId" | "relayer" | "relayerNonce" | "carriers">

export interface Execution {
  readonly proposalId: string
  readonly accountId: string
  readonly walletId: string
  readonly key: KeyRef
  readonly chainId: string
  readonly act: Act
  readonly from: string
  /** Who is paid, or who may take. */
  readonly to: string
  readonly amountMicro: bigint
  /** What has been written down; each step is safe to do again. */
  readonly step: "queued" | "signed" | "wrapped" | "broadcast" | "settled"
  readonly authorization: Authorization | null
  /** Whose nonce it holds; null together with that. */
  readonly relayer: string | null
  readonly relayerNonce: number | null
  /** Newest last. */
  readonly carriers: ReadonlyArray<Carrier>
  /** When to look at it next; null once it is settled. */
  readonly nextLookAt: DateTime.Utc | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}
