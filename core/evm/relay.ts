/**
 * Sending USDC so that the chain itself refuses to pay twice, and letting spenders take it. What was
 * broadcast is known only by looking at the chain, never by a reply; signing asks the network only to learn
 * the token's domain and, for a permit, its count of the wallet's permits.
 */
import { Context, type Effect } from "effect"
import type { Address, AddressKey, TransactionId } from "../chains/address.ts"
import type { ChainUnavailable } from "../ports/chains.ts"
import type { Order } from "../submissions/order.ts"
import type { FoundPayment, KnownPayment, MadePayment, Reach } from "../submissions/submitter.ts"
import type { CallRelay } from "./call-relay.ts"
import type { Attempt, Authorization, Fees } from "./journal.ts"

/** How far the chain is looked through for what became of something. */
export type Depth = "receipts" | "whole"

/** What the network charges now, and where the relayer stands on it. */
export interface Conditions {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Transactions of the relayer the chain has taken or holds without a gap before them. */
  readonly relayerCount: number
  /** Those of them that stand in blocks. */
  readonly relayerMined: number
  /** The newest block's time, Unix seconds. */
  readonly chainTime: number
  readonly relayerWei: bigint
  /** What a chain asks for the bytes of a send beside its gas, at most, where a key has signed it. */
  readonly dataFeeWei: bigint
}

export type Simulation =
  /** `gas` is what its transaction is to be given. */
  | { readonly _tag: "ok"; readonly gas: bigint }
  | { readonly _tag: "would_revert"; readonly reason: string }

export type TransactionStatus =
  /** Nothing of it is in a block, and nothing of it is known to have failed. */
  | { readonly _tag: "pending" }
  /** The token did it: by the receipt, by its AuthorizationUsed event, or by its Approval of this permit. */
  | { readonly _tag: "paid"; readonly txHash: TransactionId; readonly isFinal: boolean }
  /** A transaction of ours is in a block and did not pay; the authorization may still be used by another. */
  | { readonly _tag: "reverted"; readonly txHash: TransactionId; readonly isFinal: boolean }
  /** The wallet's permit nonce was used by another permit; once that is final, this one can never be used. */
  | { readonly _tag: "nonce_consumed"; readonly isFinal: boolean }
  /** It was cancelled, or its holder used its nonce for another, in a block that may still go. */
  | { readonly _tag: "spent" }
  /** The chain's final time has passed validBefore, or it is spent for good: the token never paid and never will. */
  | { readonly _tag: "impossible" }

/** How a chain's USDC names itself in what it lets be signed (EIP-712); it differs from chain to chain. */
export interface TokenName {
  readonly name: string
  readonly version: string
}

export class EvmRelay extends Context.Service<
  EvmRelay,
  CallRelay & {
    /** The relayer that pays gas on a chain, for operators to fund. */
    readonly relayerAddress: (chainId: string) => Effect.Effect<Address>
    /** As the token tells it and proves by its separator; `wrong_chain` when it does not. */
    readonly tokenName: (chainId: string) => Effect.Effect<TokenName, ChainUnavailable>
    /** What the token has done under the identity of a transfer; undefined when nothing. */
    readonly findPayment: (
      payment: KnownPayment
    ) => Effect.Effect<FoundPayment | undefined, ChainUnavailable>
    /** Every use of an authorization of these wallets in final blocks, by the token's own logs. */
    readonly madeBy: (
      chainId: string,
      wallets: ReadonlyArray<AddressKey>,
      reach?: Reach
    ) => Effect.Effect<ReadonlyArray<MadePayment>, ChainUnavailable>
    /** Signs what the records warrant; dies with `SigningDenied`, and signs nothing, when they do not. */
    readonly authorize: (order: Order) => Effect.Effect<Authorization, ChainUnavailable>
    readonly conditions: (chainId: string) => Effect.Effect<Conditions, ChainUnavailable>
    readonly simulate: (authorization: Authorization) => Effect.Effect<Simulation, ChainUnavailable>
    /**
     * Signs the relayer's transaction. What holds the key may be far away and sign otherwise each time, so
     * this is never done inside a transaction, and only bytes that were written down are handed over.
     */
    readonly wrap: (
      authorization: Authorization,
      relayerNonce: number,
      fees: Fees
    ) => Effect.Effect<Pick<Attempt, "raw" | "txHash">>
    /** The bytes of a transaction of the relayer that does nothing but use up a nonce. */
    readonly fill: (chainId: string, relayerNonce: number, fees: Fees) => Effect.Effect<string>
    /** Hands bytes to the network; a node that knows them already is content. */
    readonly broadcast: (chainId: string, raw: string) => Effect.Effect<void, ChainUnavailable>
    /**
     * `depth` is `receipts` while no block having it only says that it is early: nothing else is asked then, and a chain
     * whose blocks come within milliseconds is waited for.
     */
    readonly trace: (
      authorization: Authorization,
      attempts: ReadonlyArray<Attempt>,
      depth?: Depth
    ) => Effect.Effect<TransactionStatus, ChainUnavailable>
  }
>()("bursar/evm/EvmRelay") {}
