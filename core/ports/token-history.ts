/**
 * What chains tell of the past: what an address held at the end of a block, and every transfer of listed tokens to and
 * from it. Only final blocks are asked about, so that what is told once is told for ever.
 */
import { Context, Data, type DateTime, type Effect, type Stream } from "effect"
import type { Address, AddressKey, TransactionId } from "../chains/address.ts"
import type { ChainUnavailable } from "./chains.ts"

/** The block before the first one of a chain, at whose end nobody held anything; no node is asked about it. */
export const beforeAll = -1

/** A final block by which a period begins or ends. */
export interface PastBlock {
  readonly number: number
  readonly at: DateTime.Utc
}

/** What one log of a chain did to one address. One between two addresses that are asked about is told of each. */
export interface TokenMovement {
  readonly txHash: TransactionId
  /** Its place in the transaction, as `Transfer` has it. */
  readonly logIndex: number
  readonly blockNumber: number
  readonly at: DateTime.Utc
  readonly owner: AddressKey
  readonly token: AddressKey
  /** In the smallest units of the token; below zero for what left. */
  readonly units: bigint
  /** Who paid it or was paid; on a chain that tells only of balances, whose balance moved most the other way. */
  readonly counterparty: AddressKey
}

/** What was read of a range of blocks, and how far that is. */
export interface Passage {
  readonly throughBlock: number
  /** Oldest first, unless the chain tells of one address after the other. */
  readonly movements: ReadonlyArray<TokenMovement>
}

export interface Asked {
  readonly owners: ReadonlyArray<Address>
  readonly tokens: ReadonlyArray<AddressKey>
}

/** The node answers, and does not know what was so long ago. */
export class HistoryMissing extends Data.TaggedError("HistoryMissing")<{
  readonly chainId: string
  readonly blockNumber: number
  readonly detail: string
}> {
  override get message() {
    return `The node of ${this.chainId} does not keep what was at block ${this.blockNumber} (${this.detail}). Set the address of an archive node for this chain and run it again.`
  }
}

/** The chain has not come so far. */
export class NotFinal extends Data.TaggedError("NotFinal")<{
  readonly chainId: string
  readonly finalAt: DateTime.Utc
}> {
  override get message() {
    return `Blocks of ${this.chainId} are final only up to ${this.finalAt.toJSON()}; end the period there, or wait.`
  }
}

export type PastFailure = ChainUnavailable | HistoryMissing | NotFinal

export class TokenHistory extends Context.Service<
  TokenHistory,
  {
    /** The newest block before a time; all of them that will ever be before it are final. `beforeAll` where none is. */
    readonly lastBefore: (
      chainId: string,
      time: DateTime.Utc
    ) => Effect.Effect<PastBlock, PastFailure>
    /** The newest block that is final now. */
    readonly newest: (chainId: string) => Effect.Effect<PastBlock, PastFailure>
    /** What each owner held of each token at the end of a block, in the order asked. */
    readonly balances: (
      chainId: string,
      blockNumber: number,
      asked: Asked
    ) => Effect.Effect<ReadonlyArray<ReadonlyArray<bigint>>, PastFailure>
    /** Every transfer in the blocks above the first and up to the second, a passage at a time. */
    readonly movements: (
      chainId: string,
      range: { readonly after: number; readonly through: number },
      asked: Asked
    ) => Stream.Stream<Passage, PastFailure>
    /** The block a transaction stands in; undefined where no final block has it. */
    readonly placeOf: (
      chainId: string,
      txHash: TransactionId
    ) => Effect.Effect<number | undefined, PastFailure>
  }
>()("bursar/ports/TokenHistory") {}
