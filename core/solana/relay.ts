/**
 * Sending USDC on Solana so that the chain itself refuses to pay twice: every transaction that pays also makes the
 * payment's mark, an account that can be made only once. What was handed over is known only by looking at the chain.
 */
import { Context, type Effect } from "effect"
import type { Address, AddressKey, TransactionId } from "../chains/address.ts"
import type { TokenAmount } from "../chains/token-amount.ts"
import type { ChainUnavailable } from "../ports/chains.ts"
import type { Order } from "../submissions/order.ts"
import type { FoundPayment, KnownPayment, MadePayment, Reach } from "../submissions/submitter.ts"
import type { Burn } from "./burn.ts"
import type { Delivery } from "./delivery.ts"
import type { Attempt } from "./journal.ts"
import type { NotPlain, SignedTransfer } from "./signed-transfer.ts"
import type { Route, Swap } from "./swap.ts"

/** What the network asks now, and what the relayer has. */
export interface Conditions {
  /** A recent block, under which a transaction is signed. */
  readonly blockhash: string
  readonly lastValidBlockHeight: bigint
  readonly relayerLamports: bigint
  /** What a mark and a token account hold for as long as they are there. */
  readonly markLamports: bigint
  readonly accountLamports: bigint
  /** In micro-lamports for a compute unit: what the network asks now, and the operator's limit. */
  readonly priority: bigint
  readonly maxPriority: bigint
}

/** A payment as it is tried and signed. */
export interface Transfer extends KnownPayment {
  readonly to: AddressKey
  readonly amount: TokenAmount
  /** The text that it carries, if any. */
  readonly memo?: string
}

/** What a transaction is given beside its payment. */
export interface Bid {
  /** The most compute units it may use. */
  readonly units: number
  /** In micro-lamports for each of them. */
  readonly priority: bigint
  /** Whether it opens the payee's token account. */
  readonly opensAccount: boolean
}

export type Simulation =
  | { readonly _tag: "ok"; readonly units: number; readonly opensAccount: boolean }
  | { readonly _tag: "would_fail"; readonly reason: string }
  /** Its mark is there, though what was read before did not have it yet. */
  | { readonly _tag: "marked" }

/** What became of trying a swap by the way that a venue names. */
export type SwapTrial =
  | { readonly _tag: "would_swap"; readonly units: number; readonly opensAccount: boolean }
  | {
      readonly _tag: "would_fail"
      readonly reason: string
      /** Whether another way, or a moment later, may do. */
      readonly isPassing: boolean
    }
  /** Its mark is there, though what was read before did not have it yet. */
  | { readonly _tag: "marked" }
  /** The way does other things than swap, and no key signs it. */
  | { readonly _tag: "refused"; readonly violation: string }

/** What became of trying a burn. */
export type BurnTrial =
  | {
      readonly _tag: "would_burn"
      readonly units: number
      /** What lies with the message that it leaves, until that is taken back. */
      readonly rentLamports: bigint
    }
  | { readonly _tag: "would_fail"; readonly reason: string }
  /** Its mark is there, though what was read before did not have it yet. */
  | { readonly _tag: "marked" }

/** What became of trying to bring a message. */
export type DeliveryTrial =
  | {
      readonly _tag: "would_deliver"
      readonly units: number
      /** Whether the receiver's token account has to be opened for it. */
      readonly opensAccount: boolean
      /** What stays with the program that takes it. */
      readonly rentLamports: bigint
    }
  | {
      readonly _tag: "would_fail"
      readonly reason: string
      /** Whether the same message may be taken later. */
      readonly isPassing: boolean
    }

export type TransactionStatus =
  /** No transaction of it is in a block, and one of them may still come into one. */
  | { readonly _tag: "pending" }
  /** Its mark is made. */
  | { readonly _tag: "marked"; readonly found: FoundPayment }
  /** A transaction of ours is in a block and did not pay. */
  | {
      readonly _tag: "failed"
      readonly txId: TransactionId
      readonly reason: string
      /** Whether another transaction may do what this one did not. */
      readonly isPassing: boolean
      readonly isFinal: boolean
    }
  /** A final block is past all of them, and there is no mark: none of them ever pays. */
  | { readonly _tag: "dead" }

/** What a payer's own transaction would do now. */
export type SignedTrial =
  | { readonly _tag: "ok" }
  | { readonly _tag: "would_fail"; readonly reason: string }
  /** A block has it already. */
  | { readonly _tag: "landed" }
  /** No block takes it any more, as far as one node knows. */
  | { readonly _tag: "expired" }

/** What became of a payer's own transaction. */
export type SignedTrace =
  | { readonly _tag: "pending" }
  | { readonly _tag: "paid"; readonly isFinal: boolean }
  | { readonly _tag: "failed"; readonly isFinal: boolean; readonly reason: string }
  /** Final blocks are past it, and none has it. */
  | { readonly _tag: "dead" }

export class SolanaRelay extends Context.Service<
  SolanaRelay,
  {
    /** The relayer that pays fees and lends rent on a chain, for operators to fund. */
    readonly relayerAddress: (chainId: string) => Effect.Effect<Address>
    /** By the mark, and by its history when it has been reclaimed; undefined when there never was one. */
    readonly findPayment: (
      payment: KnownPayment
    ) => Effect.Effect<FoundPayment | undefined, ChainUnavailable>
    /** Every mark of these wallets that was made in final slots, reclaimed ones included, and whom that paid. */
    readonly madeBy: (
      chainId: string,
      wallets: ReadonlyArray<AddressKey>,
      reach?: Reach
    ) => Effect.Effect<ReadonlyArray<MadePayment>, ChainUnavailable>
    readonly conditions: (chainId: string) => Effect.Effect<Conditions, ChainUnavailable>
    /** Tries the payment on the chain as it is, without a signature. */
    readonly simulate: (transfer: Transfer) => Effect.Effect<Simulation, ChainUnavailable>
    /**
     * Signs as the wallet and as the relayer; dies with `SigningDenied`, and signs nothing, when the records do not
     * warrant the order.
     */
    readonly sign: (
      order: Order,
      bid: Bid,
      conditions: Conditions
    ) => Effect.Effect<Pick<Attempt, "txId" | "wire">>
    /** Makes the message of a swap, checks every byte of it, and tries it on the chain as it is. */
    readonly trySwap: (
      swap: Swap,
      route: Route,
      conditions: Conditions
    ) => Effect.Effect<SwapTrial, ChainUnavailable>
    /**
     * Signs a swap as the wallet and as the relayer; dies with `SigningDenied`, and signs nothing, when the records do
     * not warrant the order or the message is not the swap that it says.
     */
    readonly signSwap: (
      order: Order,
      swap: Swap,
      route: Route,
      bid: Bid,
      conditions: Conditions
    ) => Effect.Effect<Pick<Attempt, "txId" | "wire">, ChainUnavailable>
    /** Makes the message of a burn, checks every byte of it, and tries it on the chain as it is. */
    readonly tryBurn: (
      burn: Burn,
      conditions: Conditions
    ) => Effect.Effect<BurnTrial, ChainUnavailable>
    /**
     * Signs a burn as the wallet and as the relayer; dies with `SigningDenied`, and signs nothing, when the records do
     * not warrant the order or the message is not the burn that it says.
     */
    readonly signBurn: (
      order: Order,
      bid: Bid,
      conditions: Conditions
    ) => Effect.Effect<Pick<Attempt, "txId" | "wire">, ChainUnavailable>
    /** Tries on the chain as it is what the relayer would bring there. */
    readonly tryDelivery: (
      delivery: Delivery,
      conditions: Conditions
    ) => Effect.Effect<DeliveryTrial, ChainUnavailable>
    /** Signs it as the relayer, and as nobody else. */
    readonly signDelivery: (
      delivery: Delivery,
      bid: Bid,
      conditions: Conditions
    ) => Effect.Effect<Pick<Attempt, "txId" | "wire">, ChainUnavailable>
    /** What became of it; a message that a transaction of ours brought is `paid`. */
    readonly traceDelivery: (
      chainId: string,
      attempt: Attempt
    ) => Effect.Effect<SignedTrace, ChainUnavailable>
    /** Hands bytes to the network; a node that knows them already is content. */
    readonly broadcast: (chainId: string, wire: string) => Effect.Effect<void, ChainUnavailable>
    readonly trace: (
      transfer: KnownPayment,
      attempts: ReadonlyArray<Attempt>
    ) => Effect.Effect<TransactionStatus, ChainUnavailable>
    /** What a payer's transaction pays to an owner, if it is a plain payment and nothing else. */
    readonly readSigned: (
      chainId: string,
      wire: string,
      payTo: AddressKey
    ) => Effect.Effect<SignedTransfer | NotPlain>
    readonly trySigned: (signed: SignedTransfer) => Effect.Effect<SignedTrial, ChainUnavailable>
    /** Signs as the relayer, and only that; dies, and signs nothing, when it is no plain payment. */
    readonly countersign: (signed: SignedTransfer) => Effect.Effect<Pick<Attempt, "txId" | "wire">>
    readonly traceSigned: (
      signed: SignedTransfer,
      attempt: Attempt
    ) => Effect.Effect<SignedTrace, ChainUnavailable>
  }
>()("bursar/solana/SolanaRelay") {}
