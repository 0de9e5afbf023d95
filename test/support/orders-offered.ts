/** A bridge that has a way by limit orders out of a chain, and of which nothing but that is asked. */
import { Effect } from "effect"
import { AddressKey } from "../../core/chains/address.ts"
import type { Bridge } from "../../core/ports/bridge.ts"

const unasked = () => Effect.die(new Error("Nothing of this bridge is asked."))
const end = (chainId: string) => ({ chainId, token: AddressKey.make(`0x${"05".repeat(20)}`) })

export const ordersFrom = (chainId: string): Bridge => ({
  protocol: "dln",
  slips: true,
  routes: [
    {
      from: end(chainId),
      to: end("local-2"),
      fees: "",
      minUnits: 1n,
      maxUnits: null,
      typicalSeconds: 1,
      notes: ""
    }
  ],
  quote: unasked,
  departure: () => {
    throw new Error("Nothing of this bridge is asked.")
  },
  isArrival: () => false,
  start: unasked,
  status: unasked,
  refund: unasked
})
