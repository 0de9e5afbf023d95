/**
 * Sending USDC so that the chain itself refuses to pay twice. What was broadcast is known only by looking
 * at the chain, never by a reply; wrapping touches no network, signing only to learn a token's domain.
 */
import { Context, type Effect } from "effect"
import type { Authorization, Carrier } from "../proposals/execution.ts"
import type { ChainUnavailable } from "./chains.ts"

/** What a wallet is to sign, and in whose name; nothing of it is believed before the warrant holds. */
export interface Order {
  readonly proposalId: string
  readonly accountId: string
  readonly walletId: string
  readonly chainId: string
  readonly derivationIndex: number
  readonly from: string
  readonly to: string
  readonly amountMicro: bigint
  /** Unix seconds on the chain. */
  readonly validBefore: number
}

/** What the network charges now, and where the relayer stands on it. */
export interface Conditions {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** Transactions of the relayer the chain has taken or holds. */
  readonly relayerCount: number
  /** The newest block's time, Unix seconds. */
  readonly chainTime: number
  /** Whether the relayer can pay the gas of another send. */
  readonly hasGas: boolean
}

export type Trial =
  | { readonly _tag: "would_pay" }
  | { readonly _tag: "would_revert"; readonly reason: string }

export type Trace =
  /** Nothing of it is in a block, and nothing of it is known to have failed. */
  | { readonly _tag: "unseen" }
  /** The token paid: by the receipt or by its AuthorizationUsed event. */
  | { readonly _tag: "paid"; readonly txHash: string; readonly isFinal: boolean }
  /** A carrier is in a block and did not pay; the authorization may still be used by another. */
  | { readonly _tag: "reverted"; readonly txHash: string; readonly isFinal: boolean }
  /** The chain's final time has passed validBefore and the token never paid: it never will. */
  | { readonly _tag: "impossible" }

export class Payouts extends Context.Service<
  Payouts,
  {
    /** The relayer that pays gas on a chain, for operators to fund. */
    readonly relayerAddress: (chainId: string) => Effect.Effect<string>
    /** Signs what the books warrant; dies with `Unwarranted`, and signs nothing, when they do not. */
    readonly authorize: (order: Order) => Effect.Effect<Authorization, ChainUnavailable>
    readonly conditions: (chainId: string) => Effect.Effect<Conditions, ChainUnavailable>
    readonly simulate: (authorization: Authorization) => Effect.Effect<Trial, ChainUnavailable>
    /** Signs the relayer's transaction; the same inputs give the same bytes. */
    readonly wrap: (
      authorization: Authorization,
      relayerNonce: number,
      fees: Pick<Carrier, "maxFeePerGas" | "maxPriorityFeePerGas">
    ) => Effect.Effect<Pick<Carrier, "raw" | "txHash">>
    /** Hands bytes to the network; a node that knows them already is content. */
    readonly broadcast: (chainId: string, raw: string) => Effect.Effect<void, ChainUnavailable>
    readonly trace: (
      authorization: Authorization,
      carriers: ReadonlyArray<Carrier>
    ) => Effect.Effect<Trace, ChainUnavailable>
  }
>()("bursar/ports/Payouts") {}
