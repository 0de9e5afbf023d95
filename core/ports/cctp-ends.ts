/**
 * The two ends of the issuer's bridge (CCTP V2), of whatever family their chains are: where USDC is burnt, and where it
 * is minted. Each says only what its own chain says; what the message of a burn must be, the bridge holds it to.
 */
import type { Effect, Schema } from "effect"
import type { AddressKey, TransactionId } from "../chains/address.ts"
import type { Departure, Journey, Standing } from "./bridge.ts"
import type { ChainUnavailable } from "./chains.ts"

/** Bytes in hex, in the form in which the attestation service writes them. */
export type HexBytes = string

/** What is burnt, and what its message says of where it goes. */
export interface Burn {
  readonly journey: Journey
  /** The number of the destination. */
  readonly domain: number
  /** Whom it is minted to, as the destination's contracts know it: 32 bytes. */
  readonly recipient: HexBytes
  readonly maxFeeUnits: bigint
  readonly minFinality: number
}

export interface Burnt {
  readonly txId: TransactionId
  readonly isFinal: boolean
  /** Whether it is what the burn says, to the last unit. */
  readonly isSame: boolean
}

/** The message of a burn as its chain sent it, and when that was. */
export interface Sent {
  readonly message: HexBytes
  readonly atSeconds: number
}

export interface BurningEnd {
  /** The contract that burns, and USDC there, as messages name them: 32 bytes each. */
  readonly messenger: HexBytes
  readonly burnToken: HexBytes
  /** The least fee that a burn of so much has to offer. */
  readonly minFee: (units: bigint) => Effect.Effect<bigint, ChainUnavailable>
  readonly departure: (burn: Burn) => Departure
  /** The burn under the identity of its journey; undefined when the chain has none. */
  readonly find: (burn: Burn) => Effect.Effect<Burnt | undefined, ChainUnavailable>
  readonly sent: (
    burn: Burn,
    departed: TransactionId
  ) => Effect.Effect<Sent | undefined, ChainUnavailable>
  /** Why a burn would not pass now; undefined when it would. */
  readonly closed: (burn: Burn) => Effect.Effect<string | undefined, ChainUnavailable>
}

/** A burning end as its message names it. */
export interface Origin {
  readonly chainId: string
  readonly domain: number
  readonly messenger: HexBytes
  readonly burnToken: HexBytes
}

export interface MintingEnd {
  /** The contract that mints, as messages name it: 32 bytes. */
  readonly messenger: HexBytes
  /** Where a wallet receives what is minted: 32 bytes. */
  readonly recipientOf: (receiver: AddressKey) => HexBytes
  /** Why a mint would not pass now; undefined when it would. */
  readonly closed: (
    journey: Journey,
    origin: Origin
  ) => Effect.Effect<string | undefined, ChainUnavailable>
  /** The call that brings a message there, and the message in such a call; undefined for any other. */
  readonly callOf: (message: HexBytes, attestation: HexBytes) => Schema.JsonObject
  readonly messageIn: (call: Schema.JsonObject) => HexBytes | undefined
  readonly isUsed: (nonce: HexBytes) => Effect.Effect<boolean, ChainUnavailable>
  /** Where a message that was used was delivered. */
  readonly delivered: (
    journey: Journey,
    nonce: HexBytes,
    burntAtSeconds: number
  ) => Effect.Effect<Extract<Standing, { readonly _tag: "delivered" }>, ChainUnavailable>
  /** Whether what was attested up to this block would not be taken any more. */
  readonly hasRunOut: (expiresAtBlock: bigint) => Effect.Effect<boolean, ChainUnavailable>
}

/** What one chain is for the bridge. */
export interface CctpEnd {
  readonly chainId: string
  readonly token: AddressKey
  readonly burning: BurningEnd | undefined
  readonly minting: MintingEnd | undefined
}
