/** What a wallet's own transactions, and the loans for them, ask of a chain; a part of the port `EvmRelay`. */
import type { Effect } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"
import type { ChainUnavailable } from "../ports/chains.ts"
import type { Order } from "../submissions/order.ts"
import type { EvmCall, Expected, NonceOf, ToldNonce, UsedNonce } from "./call.ts"
import type { Attempt, Fees } from "./journal.ts"

/** Where a wallet stands on its chain. */
export interface Standing {
  /** How many transactions of it stand in blocks: the nonce of its next. */
  readonly mined: number
  readonly heldWei: bigint
}

export type CallTrial =
  /** `gas` is what its transaction is to be given, `dataFeeWei` what the chain asks for its bytes beside that. */
  | { readonly _tag: "would_run"; readonly gas: bigint; readonly dataFeeWei: bigint }
  | { readonly _tag: "would_revert"; readonly reason: string }

export type NonceTrace =
  /** No block has used it. */
  | { readonly _tag: "unused" }
  /** One of the known transactions did. Final only where the chain itself says so. */
  | {
      readonly _tag: "mined"
      readonly txHash: TransactionId
      readonly blockHash: string
      readonly isSuccess: boolean
      readonly isFinal: boolean
    }
  /** Another transaction did; once that is final, none of the known ones ever will be in a block. */
  | { readonly _tag: "used_elsewhere"; readonly isFinal: boolean }

/** What carries a signature's bytes: a transaction that is written down before it is handed over. */
export type Signed = Pick<Attempt, "raw" | "txHash">

export interface WalletCall {
  readonly chainId: string
  readonly from: AddressKey
  readonly identity: string
  readonly call: EvmCall
}

export interface CallRelay {
  readonly standing: (
    chainId: string,
    wallet: AddressKey
  ) => Effect.Effect<Standing, ChainUnavailable>
  /** Tries it as if the wallet held enough of the chain's coin. */
  readonly tryCall: (call: WalletCall) => Effect.Effect<CallTrial, ChainUnavailable>
  /** Signs the wallet's transaction; dies with `SigningDenied`, and signs nothing, without the records' warrant. */
  readonly signCall: (order: Order, nonce: number, fees: Fees) => Effect.Effect<Signed>
  /** Signs, under the warrant of the call, a transaction of the wallet that only uses its nonce up. */
  readonly signVoid: (order: Order, nonce: number, fees: Fees) => Effect.Effect<Signed>
  /** Signs a transaction of the relayer that gives an address some of the chain's coin. */
  readonly lend: (
    loan: { readonly chainId: string; readonly to: AddressKey; readonly wei: bigint },
    relayerNonce: number,
    fees: Fees
  ) => Effect.Effect<Signed>
  readonly traceNonce: (
    of: NonceOf,
    attempts: ReadonlyArray<Pick<Attempt, "txHash">>
  ) => Effect.Effect<NonceTrace, ChainUnavailable>
  /** How many transactions of each of some wallets stand in blocks. */
  readonly counts: (
    chainId: string,
    wallets: ReadonlyArray<AddressKey>
  ) => Effect.Effect<ReadonlyArray<number>, ChainUnavailable>
  /**
   * By which transaction a nonce was used up, whoever made it; undefined when the node cannot tell. Where there are two
   * nodes, neither contradicts it.
   */
  readonly usedBy: (of: NonceOf) => Effect.Effect<UsedNonce | undefined, ChainUnavailable>
  /**
   * Of each of some transactions whether a node has something else in their place now. One that has forgotten them
   * contradicts nothing.
   */
  readonly contradicted: (
    chainId: string,
    told: ReadonlyArray<ToldNonce>
  ) => Effect.Effect<ReadonlyArray<boolean>, ChainUnavailable>
  /** Whether a contract answers as expected in a block; undefined where the node has forgotten the state of it. */
  readonly answers: (
    chainId: string,
    expected: Expected,
    blockHash: string
  ) => Effect.Effect<boolean | undefined, ChainUnavailable>
  /** Whether it does in the newest block. */
  readonly answersNow: (
    chainId: string,
    expected: Expected
  ) => Effect.Effect<boolean, ChainUnavailable>
}
