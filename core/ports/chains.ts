/**
 * What the treasury asks of chains: which are connected, what an address holds, and what has moved
 * since a place on the chain. An adapter reports only blocks that link to the place it was asked from.
 */
import { Context, Data, type DateTime, type Effect } from "effect"
import type { Address, AddressKey, TransactionId } from "../chains/address.ts"
import type { Chain } from "../chains/chain.ts"
import type { Usdc } from "../money/usdc.ts"

/** A chain this installation is connected to. */
export interface Connected {
  readonly chain: Chain
  /** The one token contract that is USDC here; other tokens are never money. */
  readonly usdc: AddressKey
  /** Blocks, counting its own, after which a transfer is final. */
  readonly confirmations: number
  /** How long to wait before looking again. */
  readonly pollMs: number
}

export interface Block {
  readonly number: number
  readonly hash: string
  readonly timestamp: DateTime.Utc
}

/** One transfer of USDC as the chain logged it. */
export interface TransferLog {
  readonly txHash: TransactionId
  readonly logIndex: number
  readonly block: Block
  readonly from: AddressKey
  readonly to: AddressKey
  readonly amountMicro: Usdc
  /**
   * What its payer signed it as, when they signed it for somebody else to submit; left out for any other. On
   * EVM the nonce of the authorization, in lower case.
   */
  readonly signedAs?: string
  /** Addresses that its transaction only names, by which a payer says what it is for (Solana Pay). */
  readonly references?: ReadonlyArray<AddressKey>
}

/** What an address held at the end of a final block, all of it explained by what was reported of it. */
export interface SettledBalance {
  readonly address: AddressKey
  readonly number: number
  readonly heldMicro: Usdc
  /** Money of it was sent after that block: what it holds does not tell what came and went meanwhile. */
  readonly hasPaid?: true
}

/** A transfer that was reported and stands. */
export type RecordedTransfer = Pick<TransferLog, "txHash" | "logIndex" | "to" | "amountMicro"> & {
  readonly blockNumber: number
}

/**
 * What the records say, for a chain that tells only of addresses it is asked about. Everything these addresses
 * have received since they were settled is reported, however late the chain tells of it.
 */
export interface Watched {
  /** Those that this look is at; the others have their turn in a later one. */
  readonly addresses: ReadonlyArray<SettledBalance>
  /**
   * Of these addresses all that are not final yet, and those of the newest final blocks; what is left out is reported
   * again.
   */
  readonly recorded: ReadonlyArray<RecordedTransfer>
  /** Whatever address a transfer above this block went to, it is among those recorded if it stands. */
  readonly recordedAbove: number
}

/** How far it is known what the addresses of a look have received. */
export interface Known {
  readonly through: number
  /** Addresses of which it is not known yet. */
  readonly except: ReadonlyArray<AddressKey>
}

/** Where a watcher stands: the newest blocks it has taken, oldest first; the last is the tip. */
export interface ChainPosition {
  readonly blocks: ReadonlyArray<Block>
  /** Left out where a chain tells of all transfers. */
  readonly watched?: Watched
}

export interface ChainUpdate {
  readonly head: number
  /** The highest of the place's blocks that still stands; everything above it was reorganised away. */
  readonly commonNumber: number
  /** New blocks above it, oldest first, linked by parent hash; bounded, so more may follow. */
  readonly blocks: ReadonlyArray<Block>
  /**
   * All transfers of USDC in these blocks, in chain order. Of watched addresses also such of earlier blocks as the
   * chain had not told of before.
   */
  readonly transfers: ReadonlyArray<TransferLog>
  /** The highest block that is final by the chain's rule; may be above what was taken so far. */
  readonly finalNumber: number
  readonly atHead: boolean
  /** Of the watched addresses; left out where a chain tells of all transfers, or was not looked at. */
  readonly known?: Known
  /** What watched addresses held at a final block, wherever everything until then was reported. */
  readonly settled?: ReadonlyArray<SettledBalance>
  /** Watched addresses whose balance the chain does not explain, though it was asked again and again. */
  readonly unexplained?: ReadonlyArray<AddressKey>
}

/**
 * `finalized`: the chain undoes it no more. `pending`: it may still be undone, or the chain does not tell.
 * `dropped`: another block is final in its place.
 */
export type Finality = "finalized" | "pending" | "dropped"

/** Whether an address can be paid at all, as far as the chain itself tells. */
export type Payee =
  | { readonly _tag: "payable"; readonly note?: string }
  | { readonly _tag: "unpayable"; readonly reason: string }

export class ChainUnavailable extends Data.TaggedError("ChainUnavailable")<{
  readonly chainId: string
  readonly reason: "unreachable" | "limited" | "inconsistent" | "wrong_chain"
  readonly detail: string
}> {
  get isRetryable() {
    return this.reason !== "wrong_chain"
  }

  override get message() {
    return this.reason === "wrong_chain"
      ? `The node of ${this.chainId} serves something else: ${this.detail}.`
      : `Chain ${this.chainId} is ${this.reason}: ${this.detail}.`
  }
}

/** The chain has dropped more blocks than a watcher remembers; an operator must decide. */
export class ReorganisedTooDeep extends Data.TaggedError("ReorganisedTooDeep")<{
  readonly chainId: string
  readonly oldestKnown: number
}> {
  override get message() {
    return `Chain ${this.chainId} dropped every block the watcher remembers, from ${this.oldestKnown} on.`
  }
}

export class Chains extends Context.Service<
  Chains,
  {
    readonly connected: ReadonlyArray<Connected>
    /** The chain's newest block. */
    readonly tip: (chainId: string) => Effect.Effect<Block, ChainUnavailable>
    /** The newest block that is final: where a watcher starts, as no reorganisation drops it. */
    readonly newestFinal: (chainId: string) => Effect.Effect<Block, ChainUnavailable>
    /** How a block stands by what the chain itself calls final, whatever its count of confirmations. */
    readonly finality: (
      chainId: string,
      block: Pick<Block, "number" | "hash">
    ) => Effect.Effect<Finality, ChainUnavailable>
    readonly look: (
      chainId: string,
      from: ChainPosition
    ) => Effect.Effect<ChainUpdate, ChainUnavailable | ReorganisedTooDeep>
    /** USDC held by each address, in the order asked. */
    readonly balances: (
      chainId: string,
      addresses: ReadonlyArray<Address>
    ) => Effect.Effect<ReadonlyArray<Usdc>, ChainUnavailable>
    /** What stands at an address that is to be paid. */
    readonly payee: (chainId: string, address: Address) => Effect.Effect<Payee, ChainUnavailable>
  }
>()("bursar/ports/Chains") {}
