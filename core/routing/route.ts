/**
 * The ways from one chain to another, as venues and bridges say in their own tables. A way is available when every
 * part of it is there: the operation, both chains, a venue that has the pair, and tokens to trade.
 */
import * as Address from "../chains/address.ts"
import type { Bridge, Route } from "../ports/bridge.ts"
import type { SwapVenue } from "../ports/swap-venue.ts"
import { unconnected } from "../tokens/connected.ts"
import type { Pinned } from "../tokens/token.ts"
import * as Spender from "../trade/spender.ts"

export type Tool = "propose_swap" | "propose_solana_swap" | "propose_bridge"

/** A way that may or may not be there. */
export interface Way {
  readonly tool: Tool
  readonly protocol: SwapVenue["protocol"] | Bridge["protocol"]
  /** Why it is not there; undefined when it is. */
  readonly reason: string | undefined
  readonly flow: Spender.Flow | undefined
  readonly tokens: ReadonlyArray<Pinned>
  readonly typicalSeconds: number | null
  readonly fees: string
  /** The least and the most that it takes, in smallest units of a token; null where nothing is said. */
  readonly bounds: { readonly token: Pinned; readonly route: Route } | null
  readonly notes: string
}

/** One end of a pair: the chain, and the pinned tokens there if the treasury is connected to it. */
export interface Side {
  readonly chainId: string
  readonly tokens: ReadonlyArray<Pinned> | undefined
}

const reasonAway = (sides: ReadonlyArray<Side>): string | undefined => {
  const away = sides.filter(({ tokens }) => tokens === undefined).map(({ chainId }) => chainId)
  return away.length === 0 ? undefined : `${unconnected(away)}.`
}

/** Why a venue or a bridge that is there cannot be used now. */
export const silentVenue = (protocol: SwapVenue["protocol"]): string =>
  `The venue ${protocol} does not respond`
export const silentChain = (chainId: string): string => `The chain ${chainId} does not respond`
export const noPair = "The venue has no way between these tokens"
export const notCarried = (fromChainId: string, toChainId: string): string =>
  `No bridge carries this token from ${fromChainId} to ${toChainId}`
export const noBridge = (fromChainId: string, toChainId: string): string =>
  `No bridge has a way from ${fromChainId} to ${toChainId} for a listed token here`

const swapNotes = {
  cow: "A signed order that solvers fill. The sold token's allowance for the flow comes first: check_allowance says whether it is enough.",
  jupiter: "One transaction of the wallet's own; the treasury pays the network fee."
} as const

/** The swap of a chain; whether its family signs orders or sends transactions decides which tool it is. */
export const swapOn = ({ chainId, tokens }: Side, venue: SwapVenue | undefined): Way => {
  const byOrders = Address.familyOf(chainId).takesApprovals
  const protocol = venue?.protocol ?? (byOrders ? "cow" : "jupiter")
  const hasSpender = !byOrders || Spender.find("intent_swap", chainId) !== undefined
  const reason =
    reasonAway([{ chainId, tokens }]) ??
    (venue === undefined || !hasSpender
      ? `There is no venue of swaps on ${chainId}.`
      : (tokens?.length ?? 0) < 2
        ? `Only one token is listed on ${chainId}, so there is nothing to swap it for.`
        : undefined)
  return {
    tool: byOrders ? "propose_swap" : "propose_solana_swap",
    protocol,
    reason,
    flow: byOrders && reason === undefined ? "intent_swap" : undefined,
    tokens: reason === undefined ? (tokens ?? []) : [],
    typicalSeconds: venue?.typicalSeconds ?? null,
    fees: "Network and protocol fees are inside the quote.",
    bounds: null,
    notes: swapNotes[protocol]
  }
}

const bridgeNotes = {
  cctp: "USDC is burnt here and minted there. A burn is never given back, only minted, however late.",
  dln: "A limit order that a solver fills at the destination. One that nobody fills is cancelled there and refunded here."
} as const

const listedAt = (side: Side, token: Address.AddressKey) =>
  side.tokens?.find(({ address }) => address === token)

/** A bridge between two chains. */
export const bridgeBetween = (
  from: Side,
  to: Side,
  protocol: Bridge["protocol"],
  bridge: Bridge | undefined
): Way => {
  const routes = (bridge?.routes ?? []).filter(
    (route) => route.from.chainId === from.chainId && route.to.chainId === to.chainId
  )
  const open = routes.flatMap((route) => {
    const [given, got] = [listedAt(from, route.from.token), listedAt(to, route.to.token)]
    return given === undefined || got === undefined ? [] : [{ route, given, got }]
  })
  const [first] = open
  const reason =
    reasonAway([from, to]) ??
    (first === undefined ? `${noBridge(from.chainId, to.chainId)}.` : undefined)
  const isThere = reason === undefined
  return {
    tool: "propose_bridge",
    protocol,
    reason,
    flow: isThere && protocol === "dln" ? "limit_order_bridge" : undefined,
    tokens: isThere ? [...new Set(open.flatMap(({ given, got }) => [given, got]))] : [],
    typicalSeconds: isThere ? (first?.route.typicalSeconds ?? null) : null,
    fees: first?.route.fees ?? "",
    bounds: isThere && first !== undefined ? { token: first.given, route: first.route } : null,
    notes: [bridgeNotes[protocol], first?.route.notes ?? ""].filter((note) => note !== "").join(" ")
  }
}
