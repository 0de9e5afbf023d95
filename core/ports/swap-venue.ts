/**
 * Where tokens are swapped on one chain. A venue says what it would give; what is signed follows from the terms
 * alone. What a venue says of an order is a hint: whether it was filled or is dead is read from the chain.
 */
import { Context, Data, type DateTime, type Effect, Schema } from "effect"
import { AddressKey, type TransactionId } from "../chains/address.ts"
import type { TokenAmount } from "../chains/token-amount.ts"
import type { Decimal } from "../money/decimal.ts"
import type { Block, ChainUnavailable } from "./chains.ts"

/** The venue has no way from the one token to the other, for this amount. */
export class RouteNotAvailable extends Data.TaggedError("RouteNotAvailable")<{
  readonly detail: string
}> {}

/** The amount does not pay for its own fees there. */
export class AmountBelowMinimum extends Data.TaggedError("AmountBelowMinimum")<{
  /** In the sold token's smallest units; null where the venue does not say. */
  readonly minimum: bigint | null
}> {}

/** The venue does not answer, refuses to answer now, or answers what nobody can read. */
export class VenueUnavailable extends Data.TaggedError("VenueUnavailable")<{
  readonly protocol: Protocol
  readonly reason: "unreachable" | "limited" | "malformed"
  readonly detail: string
}> {}

/** A token's own contract lets it not be moved: its issuer has paused it, or has frozen one of the wallets. */
export class TransfersClosed extends Data.TaggedError("TransfersClosed")<{
  /** A sentence for people. */
  readonly detail: string
  /** Whether it ends by itself, as a pause does. */
  readonly isPassing: boolean
}> {}

/** All that asking a venue fails with. */
export type QuoteFailure =
  | RouteNotAvailable
  | AmountBelowMinimum
  | VenueUnavailable
  | TransfersClosed

export const Protocol = Schema.Literals(["cow", "jupiter"])
export type Protocol = typeof Protocol.Type

/** What is to be swapped: all of one amount, for as much as there is. */
export interface SwapRequest {
  readonly chainId: string
  /** Whose wallet sells. */
  readonly owner: AddressKey
  /** Whose wallet gets what is bought. */
  readonly receiver: AddressKey
  readonly sell: AddressKey
  readonly sellAmount: bigint
  readonly buy: AddressKey
  readonly slippageBps: number
}

export interface Fee {
  readonly kind: "network" | "protocol"
  readonly amount: TokenAmount
}

/** What a venue would give now. */
export interface VenueQuote {
  /** All that leaves the wallet, every fee in the sold token included. */
  readonly sellAmount: bigint
  /** What the receiver would get, every fee taken off, before slippage. */
  readonly buyAmount: bigint
  /** Fees that are in these amounts already, and such as are paid beside them. */
  readonly fees: ReadonlyArray<Fee>
  readonly priceImpactPct: Decimal | null
  readonly estimatedSeconds: number
  readonly expiresAt: DateTime.Utc
}

/** An order: all that a signature covers, in words of ours. What the venue makes of it follows from it alone. */
export const SwapOrder = Schema.Struct({
  /** 32 bytes in hex (`core/timeline/identity.ts`). Whoever reads what filled the order finds them there. */
  identity: Schema.String,
  chainId: Schema.String,
  owner: AddressKey,
  receiver: AddressKey,
  sell: AddressKey,
  sellAmount: Schema.BigIntFromString,
  buy: AddressKey,
  /** The receiver gets at least so much, or nothing is sold. */
  minBuyAmount: Schema.BigIntFromString,
  /** Unix seconds on the chain; no block after it fills the order. */
  validTo: Schema.Int
})
export type SwapOrder = typeof SwapOrder.Type

/** An order with the name that the chain knows it by, and the wallet's signature in hex; written down before it is placed. */
export const SignedOrder = Schema.Struct({
  ...SwapOrder.fields,
  orderId: Schema.String,
  signature: Schema.String
})
export type SignedOrder = typeof SignedOrder.Type

/** An order with its name, whoever has its signature. */
export type NamedOrder = Omit<SignedOrder, "signature">

/** What an order is known by before anybody has seen it, and what its wallet signs. */
export interface OrderForm {
  readonly orderId: string
  readonly bytes: Uint8Array
}

/** A call of the owner's own that leaves an order nobody can fill; `status` says from the chain what came of both. */
export interface Invalidation {
  readonly to: AddressKey
  /** In the form of the chain's family. */
  readonly call: Schema.JsonObject
}

/** What a block has of a filled order. */
export interface Fill {
  readonly txId: TransactionId
  readonly soldAmount: bigint
  /** By how much the receiver's balance of the bought token has risen in that transaction. */
  readonly boughtAmount: bigint
  readonly fees: ReadonlyArray<Fee>
}

/**
 * How an order stands. `absent`: the venue does not have it, so that it may be placed again. `filled`: a block has
 * it; `isFinal` says whether the chain undoes it no more. `dead`: a finalized block shows that no block will fill it.
 */
export type OrderStatus =
  | { readonly _tag: "absent" }
  | { readonly _tag: "open" }
  | { readonly _tag: "filled"; readonly fill: Fill; readonly isFinal: boolean }
  | {
      readonly _tag: "dead"
      readonly block: string
      /** The transaction that made it impossible, when one did. */
      readonly txId: TransactionId | null
    }

/** How far the fills of a wallet's orders were read on its chain. What final blocks say stays so. */
export interface SeenFills {
  /** The first block that was read. */
  readonly from: number
  /** The last one: final when it was read. */
  readonly through: Pick<Block, "number" | "hash">
  /** Every fill in these blocks of an order that the records had not signed by then, in the venue's own form. */
  readonly unrecorded: ReadonlyArray<Schema.Json>
}

/** What a chain may have of a swap that the records have lost. */
export interface Sought extends Pick<SwapOrder, "chainId" | "identity" | "owner" | "sell"> {
  /** Whoever answers has this block as a final one. What was signed before is filled by then, or never will be. */
  readonly through: Pick<Block, "number" | "hash"> | undefined
  /** Those of these orders that the records have signed; the chain need not be asked what they are. */
  readonly recorded: (orderIds: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<NamedOrder>>
  /** What was read before, so that the look goes on from there, and what is to be done with what it has read. */
  readonly seen?: SeenFills | undefined
  readonly keep?: (seen: SeenFills) => Effect.Effect<void>
}

export type Found =
  | { readonly _tag: "none" }
  /** An order of this identity was filled. */
  | {
      readonly _tag: "filled"
      readonly order: NamedOrder
      readonly fill: Fill
      readonly isFinal: boolean
    }
  /** The token left the wallet for an order that neither the records nor the chain tell of. */
  | { readonly _tag: "undecidable"; readonly txId: TransactionId }

interface Venue {
  readonly protocol: Protocol
  readonly chainIds: ReadonlyArray<string>
  /** From placing to the receiver's balance, usually. */
  readonly typicalSeconds: number
  readonly quote: (request: SwapRequest) => Effect.Effect<VenueQuote, QuoteFailure>
}

/** A venue where a signed order waits for whoever fills it. */
export interface OrderVenue extends Venue {
  readonly execution: "order"
  /** Made from the order alone, asking nobody: the same order always has the same form. */
  readonly form: (order: SwapOrder) => Effect.Effect<OrderForm>
  /** Hands over what was written down. It may be repeated: a venue that has the order already is content. */
  readonly place: (order: SignedOrder) => Effect.Effect<void, VenueUnavailable | RouteNotAvailable>
  readonly status: (
    order: SignedOrder
  ) => Effect.Effect<OrderStatus, VenueUnavailable | ChainUnavailable>
  /** Looks, by the chain alone, for an order that was filled under an identity. */
  readonly find: (sought: Sought) => Effect.Effect<Found, ChainUnavailable>
  /** Made from the order alone: what its owner calls so that no later block fills it. A filled one stays filled. */
  readonly invalidation: (order: SignedOrder) => Invalidation
}

/** A venue that says how a transaction of the wallet's own swaps. */
export interface TransactionVenue extends Venue {
  readonly execution: "transaction"
  /** What the chain's family is to carry out for the order, in the family's own form. */
  readonly build: (
    order: Omit<SwapOrder, "identity">
  ) => Effect.Effect<Schema.JsonObject, QuoteFailure>
}

export type SwapVenue = OrderVenue | TransactionVenue

/** The venues there are; a chain has at most one. */
export class SwapVenues extends Context.Service<
  SwapVenues,
  { readonly venues: ReadonlyArray<SwapVenue> }
>()("bursar/ports/SwapVenues") {}

export const venueOn = (
  { venues }: SwapVenues["Service"],
  chainId: string
): SwapVenue | undefined => venues.find(({ chainIds }) => chainIds.includes(chainId))
