/**
 * What a story needs of the world it is told in: the operations over some surface, a payer, a chain that
 * can be pushed about, and a merchant who listens. Every world keeps real time or its own; a story never
 * sleeps, it waits until something is so.
 */
import { Data, type Effect } from "effect"
import type { WebhookEvent } from "../../adapters/receiver/verify.ts"
import type * as Operation from "../../core/operation/operation.ts"
import type { Operations } from "../../core/treasury/operations.ts"
import type { Dropped } from "../support/holdings-chain.ts"

/** A refusal as the surface showed it. */
export class Refused extends Data.TaggedError("Refused")<{
  readonly code: string
  readonly outcome: string
  readonly message: string
}> {}

export type Calls = {
  readonly [Op in Operations[number] as Op["name"]]: (
    input: Operation.Input<Op>,
    idempotencyKey?: string
  ) => Effect.Effect<Operation.Output<Op>, Refused>
}

/** A merchant's receiver: verifies what arrives with the published verifier and keeps it. */
export interface Receiver {
  readonly url: string
  /** Events that arrived and verified, in order, duplicates included. */
  readonly arrived: Effect.Effect<ReadonlyArray<WebhookEvent>>
  /** How many arrived and did not verify. */
  readonly rejected: Effect.Effect<number>
  /** Tells it the secret to verify with. */
  readonly trust: (secret: string) => Effect.Effect<void>
  /** What it answers from now on. */
  readonly answerWith: (status: number) => Effect.Effect<void>
}

/** Somebody of the developer's account who has enrolled, with a passkey; how what they sign then stands. */
export interface Person {
  readonly approves: (proposalId: string) => Effect.Effect<string, Refused>
  /** A governance request. */
  readonly signs: (requestId: string) => Effect.Effect<string, Refused>
}

export interface World {
  readonly calls: Calls
  /** The same of an agent's account. */
  readonly agent: Calls
  /** Signs a message with the agent's funding wallet. */
  readonly fundingWalletSigns: (message: string) => Effect.Effect<string>
  /** Lets one more person in. */
  readonly person: Effect.Effect<Person, Refused>
  /** USDC held by an address on the chain. */
  readonly balanceOf: (address: string) => Effect.Effect<bigint>
  /** The same operations with a key, to be revoked and the like. */
  readonly callsWith: (apiKey: string) => Calls
  /** The token that is USDC on the chain. */
  readonly usdc: string
  /** Blocks after which a transfer is final. */
  readonly confirmations: number
  /** Sends USDC from the payer, mined in a block of its own; its transaction. */
  readonly pay: (to: string, amountMicro: bigint) => Effect.Effect<string>
  readonly mine: (blocks: number) => Effect.Effect<void>
  /** Drops the newest blocks for as many empty ones; transactions kept are mined again. */
  readonly reorganise: (depth: number, keep: ReadonlyArray<string>) => Effect.Effect<void>
  /** Moves the chain's time on and mines a block there. */
  readonly chainTimePasses: (seconds: number) => Effect.Effect<void>
  /** Gives an address tokens of a contract that describes itself so; nobody vouches for it. */
  readonly airdrop: (dropped: Dropped) => Effect.Effect<string>
  /** Gives an address so much of the chain's coin, in its smallest units. */
  readonly giveCoins: (to: string, amount: bigint) => Effect.Effect<void>
  /** What the chain's coin costs from now on, and its change over 24 hours in percent. */
  readonly priceCoin: (usd: string, change24hPct: string) => Effect.Effect<void>
  /** While away, the market tells no prices. */
  readonly marketAway: (away: boolean) => Effect.Effect<void>
  /** While away, nothing can be read from the chain. */
  readonly chainAway: (away: boolean) => Effect.Effect<void>
  readonly receiver: Effect.Effect<Receiver>
  /** Asks until there is an answer, and dies with the sentence when there is none in good time. */
  readonly until: <A, E>(
    sentence: string,
    ask: Effect.Effect<A | undefined, E>
  ) => Effect.Effect<A, E>
  /** Runs until the watcher has taken the chain's newest block. */
  readonly watched: Effect.Effect<void>
}

export interface Story {
  readonly title: string
  readonly tell: (world: World) => Effect.Effect<void, Refused>
}
