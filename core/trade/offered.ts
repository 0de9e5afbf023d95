/**
 * Whether anybody here takes what a flow's spender may take. Where no venue is configured an approval would serve nothing
 * and stand for ever, so none is proposed; what was allowed before is always taken back.
 */
import { Effect } from "effect"
import { familyOf } from "../chains/address.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { Bridges } from "../ports/bridge.ts"
import { SwapVenues } from "../ports/swap-venue.ts"
import type * as Spender from "./spender.ts"

/** The chains on which a flow has a venue, as the tables of venues and bridges say. */
const chainsWith = Effect.fnUntraced(function* (flow: Spender.Flow) {
  if (flow === "intent_swap") {
    const { venues } = yield* SwapVenues
    const chainIds = venues.flatMap((venue) => venue.chainIds)
    return chainIds.filter((chainId) => familyOf(chainId).takesApprovals)
  }
  const orders = (yield* Bridges).filter(({ protocol }) => protocol === "dln")
  return [
    ...new Set(orders.flatMap(({ routes }) => routes.map(({ from: { chainId } }) => chainId)))
  ]
})

const offers = { intent_swap: "venue of swaps", limit_order_bridge: "bridge by limit orders" }

/** Refuses where nobody would ever take what is allowed. */
export const requireVenue = Effect.fnUntraced(function* (flow: Spender.Flow, chainId: string) {
  const supported = yield* chainsWith(flow)
  if (supported.includes(chainId)) return
  const elsewhere =
    supported.length === 0 ? "ask the operator" : `use a wallet on one of: ${supported.join(", ")}`
  return yield* new UnsupportedChain({
    param: "flow",
    message: `This treasury has no ${offers[flow]} on ${chainId}, so nothing is allowed for ${flow}; ${elsewhere}.`,
    details: { supported },
    next: { operation: "get_routing_guide", args: { fromChainId: chainId, toChainId: chainId } }
  })
})
