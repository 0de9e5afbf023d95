/**
 * The journal of one send: what was signed, wrapped and handed to the network, written down before each
 * step so that a process may die between any two lines (design: write down before acting).
 */
import type { DateTime } from "effect"

/** An EIP-3009 authorization; its nonce comes from the proposal, so the token pays a proposal once. */
export interface Authorization {
  readonly chainId: string
  readonly token: string
  readonly from: string
  readonly to: string
  readonly amountMicro: bigint
  /** 32 bytes, hex: keccak-256 over chain, token and proposal. */
  readonly nonce: string
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

export interface Execution {
  readonly proposalId: string
  readonly accountId: string
  readonly walletId: string
  readonly derivationIndex: number
  readonly chainId: string
  readonly from: string
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
