/** The registry of watches: who looks after which waits. A new watch is its file and its line here. */
import { Layer } from "effect"
import { departure } from "../bridges/depart.ts"
import { fulfilment, refund } from "../bridges/fulfilment.ts"
import { opening } from "../bridges/open.ts"
import { arrival, attestation } from "../bridges/travel.ts"
import { orderWatch } from "../swaps/order-watch.ts"
import { Watches } from "../waits/watches.ts"

export const watches = {
  swap_order: orderWatch,
  bridge_opening: opening,
  bridge_departure: departure,
  bridge_attestation: attestation,
  bridge_arrival: arrival,
  bridge_fulfilment: fulfilment,
  bridge_refund: refund
}

type All = typeof watches

declare module "../waits/watches.ts" {
  interface Registry extends All {}
}

/** Hands the registry to the rooms below. */
export const layer = Layer.succeed(Watches, watches)
