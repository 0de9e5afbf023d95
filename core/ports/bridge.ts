/**
 * Carrying a token from a wallet on one chain to a wallet on another. Quotes and standings of a provider are hints:
 * that something left, arrived or came back is read from the chains, and nothing that left is given up.
 */
import { Context, Data, Effect, Schema } from "effect"
import { AddressKey, type TransactionId } from "../chains/address.ts"
import type { ChainUnavailable } from "./chains.ts"

export const Protocol = Schema.Literals(["cctp", "dln"])
export type Protocol = typeof Protocol.Type

/** One end of a way: a token there. */
export const End = Schema.Struct({ chainId: Schema.String, token: AddressKey })
export type End = typeof End.Type

/** A way that a bridge has, as its own table says; whether it is open now, a quote tells. */
export interface Route {
  readonly from: End
  readonly to: End
  readonly fees: string
  readonly minUnits: bigint
  /** Null where nothing bounds it. */
  readonly maxUnits: bigint | null
  readonly typicalSeconds: number
  readonly notes: string
}

export interface Asked {
  readonly from: End
  readonly to: End
  /** What is given, in the smallest units of its token. */
  readonly units: bigint
}

export interface Fee {
  readonly kind: "network" | "protocol" | "relayer" | "bridge"
  /** Null for the coin of the chain that it leaves, which the wallet is lent. */
  readonly token: End | null
  readonly units: bigint
}

/** What taking it back costs, where that can be done at all. */
export interface WayBack {
  /** What the destination asks for it, in its coin. */
  readonly cancelUnits: bigint
  /** What whoever brings word of it to the source spends there, in the source's coin. */
  readonly claimUnits: bigint
}

/** The most of two chains' own coins that may be given, in their smallest units. */
export const MaxCoin = Schema.Struct({
  /** With what leaves, in the coin of the source. */
  leaving: Schema.BigIntFromString,
  /** For taking it back, and to whoever brings word of that to the source; both in the destination's coin. */
  cancelling: Schema.BigIntFromString,
  claiming: Schema.BigIntFromString
})
export type MaxCoin = typeof MaxCoin.Type

/** One way of doing what was asked, until its end. */
export interface Offer {
  /** What arrives as things stand, and the least that may. */
  readonly buyUnits: bigint
  readonly minBuyUnits: bigint
  readonly fees: ReadonlyArray<Fee>
  readonly estimatedSeconds: number
  readonly expiresInMs: number
  /** What the protocol is to be told beside the least that arrives, in its own words. */
  readonly terms: Schema.JsonObject
  /** Null where nothing that left is taken back. */
  readonly wayBack: WayBack | null
}

/** What is carried, for whom, and by what the chains know it. Nothing of it is worse than what was approved. */
export const Journey = Schema.Struct({
  /** 32 bytes in hex (`core/timeline/identity.ts`), written on the chain with what leaves. */
  identity: Schema.String,
  from: End,
  sender: AddressKey,
  to: End,
  receiver: AddressKey,
  units: Schema.BigIntFromString,
  /** The least that may arrive; the departure binds it, to the last unit. */
  minBuyUnits: Schema.BigIntFromString,
  /** Left out where neither chain's coin may be given. */
  coin: Schema.optionalKey(MaxCoin),
  terms: Schema.JsonObject
})
export type Journey = typeof Journey.Type

/** What the sending wallet does: derived from the journey alone, so that it can be derived again before it is signed. */
export interface Departure {
  /** Who takes the token, and has to be allowed exactly the units of the journey first. */
  readonly spender: AddressKey
  /** The wallet's own call, in the form of its chain's family. */
  readonly call: Schema.JsonObject
  /** How much of the chain's own coin the call gives, in its smallest units. */
  readonly coinUnits: bigint
}

/** Before the wallet signs. */
export type Start =
  /** Nothing of this identity has left, and both ends let it pass. */
  | { readonly _tag: "open" }
  /** It left already; the records had forgotten it. */
  | { readonly _tag: "left"; readonly txId: TransactionId; readonly isFinal: boolean }
  /** Something else left under its identity. */
  | { readonly _tag: "taken"; readonly txId: TransactionId; readonly isFinal: boolean }
  /**
   * Nothing of it has left, and one of the ends would not let it pass now: a sentence. So it is when the destination does
   * not answer; of a source that does not, nobody knows what has left.
   */
  | { readonly _tag: "closed"; readonly reason: string }

export type Standing =
  /** The chain has nothing of it: it never left, or a reorganisation took it back. */
  | { readonly _tag: "absent" }
  /** On its way; the reason says what it waits for, when somebody says so. */
  | { readonly _tag: "travelling"; readonly reason: string | null }
  /** Whoever makes this call at the destination brings it there; it counts once. */
  | { readonly _tag: "deliverable"; readonly call: Schema.JsonObject }
  | {
      readonly _tag: "delivered"
      readonly txId: TransactionId
      /** By how much the receiver's balance grew in that transaction. */
      readonly units: bigint
      readonly isFinal: boolean
    }
  /** It was taken back at the destination: nobody can deliver it any more. */
  | { readonly _tag: "cancelled"; readonly txId: TransactionId; readonly isFinal: boolean }

export type Refund =
  /** The protocol gives nothing back: what left arrives, however late. */
  | { readonly _tag: "never" }
  /** It was delivered before it could be taken back. */
  | { readonly _tag: "delivered" }
  /** Whoever may makes this call at the destination, and nobody can deliver it any more. */
  | {
      readonly _tag: "cancellable"
      readonly call: Schema.JsonObject
      /** How much of the destination's own coin the call gives. */
      readonly coinUnits: bigint
    }
  /** It cannot be taken back now: a sentence. It may be later. */
  | { readonly _tag: "closed"; readonly reason: string }
  /** Cancelled; the sender does not have it back yet. */
  | { readonly _tag: "returning" }
  | {
      readonly _tag: "returned"
      readonly txId: TransactionId
      readonly units: bigint
      readonly isFinal: boolean
    }

/** What others tried at the destination and were refused. */
export interface Strangers {
  readonly txIds: ReadonlyArray<TransactionId>
  /** The block up to which was looked. */
  readonly through: number
}

/** It has no such way, or has it for other tokens. */
export class NoRoute extends Data.TaggedError("NoRoute") {}

/** It carries no so small or so large amount. */
export class OutOfBounds extends Data.TaggedError("OutOfBounds")<{
  readonly minUnits: bigint
  readonly maxUnits: bigint | null
}> {}

/** The provider does not answer, or answers what cannot be. */
export class BridgeUnavailable extends Data.TaggedError("BridgeUnavailable")<{
  readonly detail: string
}> {}

/** What the provider, or a contract of the bridge, says is not what left: another amount, chain or receiver. None of it is used. */
export class BridgeContradicted extends Data.TaggedError("BridgeContradicted")<{
  readonly detail: string
}> {}

export interface Bridge {
  readonly protocol: Protocol
  /** Whether what it offers moves until it leaves; what is approved leaves room for that. */
  readonly slips: boolean
  readonly routes: ReadonlyArray<Route>
  /** Best first: by what arrives, and by time where that is the same. Never empty. */
  readonly quote: (
    asked: Asked
  ) => Effect.Effect<
    readonly [Offer, ...ReadonlyArray<Offer>],
    NoRoute | OutOfBounds | BridgeUnavailable | ChainUnavailable
  >
  readonly departure: (journey: Journey) => Departure
  /** Whether a call at the destination ends this journey, here or back where it came from, and does nothing else. */
  readonly isArrival: (journey: Journey, call: Schema.JsonObject) => boolean
  readonly start: (journey: Journey) => Effect.Effect<Start, ChainUnavailable>
  readonly status: (
    journey: Journey,
    departed: TransactionId
  ) => Effect.Effect<Standing, ChainUnavailable | BridgeUnavailable | BridgeContradicted>
  readonly refund: (
    journey: Journey,
    departed: TransactionId
  ) => Effect.Effect<Refund, ChainUnavailable | BridgeUnavailable | BridgeContradicted>
  /**
   * Who else tried to take it back after a block, or of late, and was refused, as far as blocks show it. Bounded: a look
   * that comes late passes older blocks over. Left out where nobody takes anything back.
   */
  readonly strangers?: (
    journey: Journey,
    since: number | null
  ) => Effect.Effect<Strangers, ChainUnavailable>
}

/** Every bridge of this treasury; a treasury that nobody gave one has none. */
export const Bridges = Context.Reference<ReadonlyArray<Bridge>>("bursar/ports/Bridges", {
  defaultValue: () => []
})

/** Bridges that begin when somebody first asks for them are not there yet. */
export class BridgesNotBegun extends Data.TaggedError("BridgesNotBegun")<{
  readonly detail: string
  readonly retryAfterSeconds: number
}> {}

/**
 * Waits, for a bounded time, until the bridges and their chains are there. They always are, except in an installation
 * that begins them only when somebody asks.
 */
export const BeginBridges = Context.Reference<Effect.Effect<void, BridgesNotBegun>>(
  "bursar/ports/BeginBridges",
  { defaultValue: () => Effect.void }
)
