/**
 * A venue of port SwapVenues over Jupiter's swap API: it is asked for quotes and for the way of a swap, and for nothing
 * else. It never gets a transaction to land: those are made, signed and sent here.
 */
import { address } from "@solana/kit"
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import { DateTime, Effect, Redacted, Schema } from "effect"
import {
  AmountBelowMinimum,
  type QuoteFailure,
  RouteNotAvailable,
  type SwapOrder,
  type SwapRequest,
  type TransactionVenue,
  VenueUnavailable
} from "../../core/ports/swap-venue.ts"
import { RouteJson } from "../../core/solana/swap.ts"
import * as Answer from "./answer.ts"
import * as Build from "./jupiter-build.ts"

export const publicUrl = "https://api.jup.ag/swap/v2"

/** Where it is asked. */
export interface Access {
  /** Without a trailing slash. */
  readonly url: string
  readonly apiKey?: Redacted.Redacted | undefined
  readonly deadlineMs?: number
}

export interface Options extends Access {
  readonly chainId: string
}

/** A chain, with the venue that swaps on it if there is one. */
export interface Trading {
  readonly chain: { readonly id: string }
  readonly jupiter?: Access | undefined
}

const deadlineMs = 5_000
const maxBytes = 512 * 1024
/** What fits into one transaction beside the mark. */
const maxRouteAccounts = 30
const typicalSeconds = 15
const quoteSeconds = 30

type Asked = Omit<SwapRequest, "slippageBps">

const unavailable = (reason: VenueUnavailable["reason"], detail: string) =>
  new VenueUnavailable({ protocol: "jupiter", reason, detail })

const refusedWith = ({ reason, status }: Answer.Unanswered): QuoteFailure => {
  if (reason === "limited") return unavailable("limited", "it answers with 429")
  if (reason === "status" && status === 400) {
    return new RouteNotAvailable({ detail: "it has no route for this" })
  }
  return reason === "unreachable" || reason === "status"
    ? unavailable("unreachable", status === undefined ? "no answer" : `it answers with ${status}`)
    : unavailable("malformed", "its answer cannot be read")
}

const queryOf = Effect.fnUntraced(function* ({ buy, owner, receiver, sell, sellAmount }: Asked) {
  const [destination] = yield* Effect.promise(() =>
    findAssociatedTokenPda({
      owner: address(receiver),
      mint: address(buy),
      tokenProgram: TOKEN_PROGRAM_ADDRESS
    })
  )
  return new URLSearchParams({
    inputMint: sell,
    outputMint: buy,
    amount: String(sellAmount),
    taker: owner,
    destinationTokenAccount: destination,
    // The least is written into the instruction here, from the terms.
    slippageBps: "0",
    maxAccounts: String(maxRouteAccounts),
    wrapAndUnwrapSol: "false"
  })
})

/** The venue of one chain, for as long as the scope lives. */
export const venue = Effect.fnUntraced(function* (options: Options) {
  const connections = yield* Answer.connections
  const headers =
    options.apiKey === undefined ? {} : { "x-api-key": Redacted.value(options.apiKey) }
  const bounds = { deadlineMs: options.deadlineMs ?? deadlineMs, maxBytes, headers }

  const asked = Effect.fnUntraced(function* (request: Asked) {
    const query = yield* queryOf(request)
    const answer = yield* Answer.get(connections, `${options.url}/build?${query}`, bounds).pipe(
      Effect.mapError(refusedWith)
    )
    const build = Build.read(answer)
    const isAnswer =
      build?.inputMint === request.sell &&
      build.outputMint === request.buy &&
      build.inAmount === request.sellAmount
    return isAnswer ? build : yield* unavailable("malformed", "it answers another question")
  })

  const made: TransactionVenue = {
    protocol: "jupiter",
    execution: "transaction",
    chainIds: [options.chainId],
    typicalSeconds,
    quote: Effect.fnUntraced(function* (request) {
      const { inAmount, outAmount, priceImpactPct } = yield* asked(request)
      if (outAmount === 0n) return yield* new AmountBelowMinimum({ minimum: null })
      return {
        sellAmount: inAmount,
        buyAmount: outAmount,
        // The relayer pays the network, and no other fee is taken.
        fees: [],
        priceImpactPct,
        estimatedSeconds: typicalSeconds,
        expiresAt: DateTime.add(yield* DateTime.now, { seconds: quoteSeconds })
      }
    }),
    build: Effect.fnUntraced(function* (order: Omit<SwapOrder, "identity">) {
      const { route } = yield* asked(order)
      if (route === null) return yield* new RouteNotAvailable({ detail: "it builds nothing" })
      return Schema.encodeSync(RouteJson)(route) as Schema.JsonObject
    })
  }
  return made
})

/** The venues of the chains that have one. */
export const venuesOf = (connections: ReadonlyArray<Trading>) =>
  Effect.forEach(
    connections.flatMap(({ chain, jupiter }) =>
      jupiter === undefined ? [] : [{ ...jupiter, chainId: chain.id }]
    ),
    venue
  )
