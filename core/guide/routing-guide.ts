/**
 * The operation that says which tool trades between two chains. It reads the tables of the venues and bridges that are
 * there and asks whether they answer; what it calls available a proposal accepts, and what not is refused in its words.
 */

import { Effect, Schema } from "effect"
import { blocked, stuckProtocols } from "../bridges/stuck.ts"
import * as Address from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import * as Decimal from "../money/decimal.ts"
import { Caller } from "../operation/caller.ts"
import { Catalogue } from "../operation/catalogue.ts"
import * as Operation from "../operation/operation.ts"
import { UnsupportedChain, UpstreamUnavailable } from "../operation/refusal.ts"
import { type Bridge, Bridges } from "../ports/bridge.ts"
import { type QuoteFailure, type SwapVenue, SwapVenues, venueOn } from "../ports/swap-venue.ts"
import * as Route from "../routing/route.ts"
import { VenueHealth } from "../routing/venue-health.ts"
import { ready } from "../submissions/submitter.ts"
import * as Pinned from "../tokens/pinned.ts"
import type * as Tokens from "../tokens/token.ts"
import { beginBridges } from "../trade/begin-bridges.ts"
import { Flow } from "../trade/spender.ts"

/** What a venue is asked a quote for to find out whether it answers: a hundred whole tokens. */
const sampleWhole = 100n

const bridgeProtocols = ["cctp", "dln"] as const

type Pair = readonly [sell: Tokens.Pinned, buy: Tokens.Pinned]

const sideOf = Effect.fnUntraced(function* (idOrCaip2: string, param: string) {
  const chain = Chain.find(idOrCaip2)
  if (chain === undefined) {
    const supported = Chain.chains.map(({ id }) => id)
    return yield* new UnsupportedChain({
      param,
      message: `This chain is not known; use one of: ${supported.join(", ")}.`,
      details: { supported }
    })
  }
  return { chainId: chain.id, tokens: yield* Pinned.on(chain.id) } satisfies Route.Side
})

const exampleOf = (chainId: string) =>
  Address.keyOf(chainId, Address.familyOf(chainId).exampleAddress)

const sampleOf = ({ decimals }: Tokens.Pinned) => sampleWhole * 10n ** BigInt(decimals)

/** Tokens that are tried until one can be bought for the first of the list. */
const maxTried = 3

const ofSwap = (venue: SwapVenue, failed: QuoteFailure): string | undefined => {
  switch (failed._tag) {
    case "VenueUnavailable":
      return `${Route.silentVenue(venue.protocol)}.`
    case "RouteNotAvailable":
      return `${Route.noPair}.`
    case "TransfersClosed":
      return failed.isPassing ? failed.detail : undefined
    case "AmountBelowMinimum":
      return undefined
  }
}

const quoted = (venue: SwapVenue, chainId: string, [sell, buy]: Pair) => {
  const someone = exampleOf(chainId)
  return venue
    .quote({
      chainId,
      owner: someone,
      receiver: someone,
      sell: sell.address,
      sellAmount: sampleOf(sell),
      buy: buy.address,
      slippageBps: 50
    })
    .pipe(
      Effect.as(undefined),
      Effect.catch((failed) => Effect.succeed(failed))
    )
}

/** Why nothing can be swapped now, by what the venue answers to small samples. */
const swapSilence = Effect.fnUntraced(function* (
  venue: SwapVenue,
  { chainId, tokens = [] }: Route.Side
) {
  const [sell, ...others] = tokens
  if (sell === undefined) return undefined
  let reason: string | undefined
  for (const buy of others.slice(0, maxTried)) {
    const failed = yield* quoted(venue, chainId, [sell, buy])
    if (failed === undefined) return undefined
    reason = ofSwap(venue, failed)
    if (failed._tag !== "RouteNotAvailable") return reason
  }
  return reason
})

const bridgeSilence = (bridge: Bridge, { route, token }: NonNullable<Route.Way["bounds"]>) => {
  const { from, maxUnits, minUnits, to } = route
  let units = sampleOf(token)
  if (units < minUnits) units = minUnits
  if (maxUnits !== null && units > maxUnits) units = maxUnits
  return bridge.quote({ from, to, units }).pipe(
    Effect.as(undefined),
    Effect.catchTags({
      BridgeUnavailable: ({ detail }) => Effect.succeed(detail),
      ChainUnavailable: ({ chainId }) => Effect.succeed(`${Route.silentChain(chainId)}.`),
      NoRoute: () => Effect.succeed(`${Route.notCarried(from.chainId, to.chainId)}.`),
      // Another amount is carried; the quote says which.
      OutOfBounds: () => Effect.undefined
    })
  )
}

/** Why nothing can be submitted to a chain, as a proposal would be refused. */
const unsubmittable = Effect.fnUntraced(function* (chainId: string) {
  const { accountId } = yield* Caller
  return yield* ready(chainId, accountId).pipe(
    Effect.as(undefined),
    Effect.catch(({ message }) => Effect.succeed(message))
  )
})

const swapWay = Effect.fnUntraced(function* (side: Route.Side) {
  const venue = venueOn(yield* SwapVenues, side.chainId)
  const way = Route.swapOn(side, venue)
  if (venue === undefined || way.reason !== undefined) return way
  const { of } = yield* VenueHealth
  const silence = yield* of(`${venue.protocol} ${side.chainId}`, swapSilence(venue, side))
  // An order is carried by whoever fills it.
  const isOrder = venue.execution === "order"
  return { ...way, reason: silence ?? (isOrder ? undefined : yield* unsubmittable(side.chainId)) }
})

const bridgeWays = Effect.fnUntraced(function* (from: Route.Side, to: Route.Side) {
  const { accountId } = yield* Caller
  const bridges = yield* Bridges
  const { of } = yield* VenueHealth
  const stuck = yield* stuckProtocols(accountId, from.chainId, to.chainId)
  return yield* Effect.forEach(
    bridgeProtocols,
    Effect.fnUntraced(function* (protocol) {
      const bridge = bridges.find((each) => each.protocol === protocol)
      const way = Route.bridgeBetween(from, to, protocol, bridge)
      if (bridge === undefined || way.bounds === null) return way
      const name = `${protocol} ${from.chainId} ${to.chainId}`
      const reason =
        (stuck.includes(protocol) ? blocked : undefined) ??
        (yield* of(name, bridgeSilence(bridge, way.bounds))) ??
        (yield* unsubmittable(from.chainId)) ??
        (yield* unsubmittable(to.chainId))
      return { ...way, reason }
    }),
    { concurrency: "unbounded" }
  )
})

const fields = {
  tool: Schema.String.annotate({ description: "The operation that proposes the trade." }),
  protocol: Schema.Literals(["cow", "jupiter", "cctp", "dln"]),
  available: Schema.Boolean,
  reason: Schema.optionalKey(Schema.String.annotate({ description: "Why it is not available." })),
  flow: Schema.optionalKey(
    Flow.annotate({ description: "The flow of check_allowance and propose_token_approve, if any." })
  ),
  tokens: Schema.Array(
    Schema.Struct({
      chainId: Schema.String,
      tokenAddress: Address.Address,
      symbol: Schema.String
    })
  ).annotate({ description: "The tokens that can be given and got." }),
  typicalSeconds: Schema.NullOr(Schema.Int),
  fees: Schema.String,
  min: Schema.NullOr(
    Schema.String.annotate({ description: "The least amount, in whole tokens; null if unknown." })
  ),
  max: Schema.NullOr(
    Schema.String.annotate({ description: "The most, in whole tokens; null if nothing bounds it." })
  ),
  notes: Schema.String
}

const whole = (units: bigint, { decimals }: Tokens.Pinned) =>
  Decimal.format({ units, places: decimals }, Math.min(2, decimals))

const view = (way: Route.Way, isServed: boolean) => {
  const { bounds, fees, flow, notes, protocol, tokens, tool, typicalSeconds } = way
  const reason = way.reason ?? (isServed ? undefined : "This version cannot propose it.")
  return {
    tool,
    protocol,
    available: reason === undefined,
    ...(reason === undefined ? {} : { reason }),
    ...(flow === undefined || reason !== undefined ? {} : { flow }),
    tokens: (reason === undefined ? tokens : []).map(({ address, chainId, symbol }) => ({
      chainId,
      tokenAddress: Address.shown(chainId, address),
      symbol
    })),
    typicalSeconds,
    fees,
    min: bounds === null ? null : whole(bounds.route.minUnits, bounds.token),
    max:
      bounds === null || bounds.route.maxUnits === null
        ? null
        : whole(bounds.route.maxUnits, bounds.token),
    notes
  }
}

export const getRoutingGuide = Operation.make("get_routing_guide", {
  summary:
    "Says which tool swaps on a chain or bridges between two, for which tokens and at which cost.",
  next: "Call the tool that is available; reason says why one is not.",
  scope: "account:read",
  input: { fromChainId: Chain.ChainId, toChainId: Chain.ChainId },
  output: {
    fromChainId: Schema.String,
    toChainId: Schema.String,
    tools: Schema.Array(Schema.Struct(fields))
  },
  refusals: [UnsupportedChain, UpstreamUnavailable],
  example: { input: { fromChainId: "base", toChainId: "arbitrum" } },
  handle: Effect.fnUntraced(function* (input) {
    if (input.fromChainId !== input.toChainId) yield* beginBridges
    const from = yield* sideOf(input.fromChainId, "fromChainId")
    const to = yield* sideOf(input.toChainId, "toChainId")
    const isOneChain = from.chainId === to.chainId
    const ways = isOneChain ? [yield* swapWay(from)] : yield* bridgeWays(from, to)
    const { find } = yield* Catalogue
    return {
      fromChainId: from.chainId,
      toChainId: to.chainId,
      tools: ways.map((way) => view(way, find(way.tool) !== undefined))
    }
  })
})
