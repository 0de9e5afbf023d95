/**
 * The contracts that may be allowed to take a wallet's tokens: one for each flow and chain, from this
 * table and from nowhere else. An approval for a spender that a caller names is how wallets are emptied.
 */

import { Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import { UnsupportedChain } from "../operation/refusal.ts"

export const Flow = Schema.Literals(["intent_swap", "limit_order_bridge"]).annotate({
  description:
    "The purpose, which determines the spender: `intent_swap` for swaps, `limit_order_bridge` for bridges."
})
export type Flow = typeof Flow.Type

export interface Spender {
  /** Checksummed; compared in lower case. */
  readonly address: Address.Address
  readonly label: string
}

const spender = (address: string, label: string): Spender => ({
  address: address as Address.Address,
  label
})

const vaultRelayer = spender(
  "0xC92E8bdf79f0507f65a392b0ab4667716BFE0110",
  "CoW Protocol GPv2VaultRelayer"
)
const dlnSource = spender("0xeF4fB24aD0916217251F553c0596F8Edc630EB66", "deBridge DlnSource")

/** Chains with an order store of intents; Optimism and most test chains have none. */
const orderBooks = ["ethereum", "base", "arbitrum", "polygon", "ethereum-sepolia"]
/** Limit orders are bridged between main chains alone. */
const bridged = ["ethereum", "base", "arbitrum", "optimism", "polygon"]
/** Where a flow can be tried, though nobody takes what it allows. */
const sandbox = ["local"]

const flows: Readonly<
  Record<Flow, { readonly spender: Spender; readonly chains: ReadonlyArray<string> }>
> = {
  intent_swap: { spender: vaultRelayer, chains: [...orderBooks, ...sandbox] },
  limit_order_bridge: { spender: dlnSource, chains: [...bridged, ...sandbox] }
}

/** Spenders a wallet may have allowed by another tool; they are recognised and never approved here. */
const recognised: ReadonlyArray<Spender> = [
  spender("0x663DC15D3C1aC63ff12E45Ab68FeA3F0a883C251", "deBridge DeBridgeRouter"),
  spender("0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d", "Circle TokenMessengerV2"),
  spender("0x000000000022D473030F116dDEE9F6B43aC78BA3", "Permit2")
]

/** Every spender there is a name for. */
export const known: ReadonlyArray<Spender> = [vaultRelayer, dlnSource, ...recognised]

/** The one with a name at an address of a chain. */
export const at = (chainId: string, address: string): Spender | undefined =>
  known.find((each) => Address.isSame(chainId, each.address, address))

/** The one spender of a flow on a chain, if the flow is there at all. */
export const find = (flow: Flow, chainId: string): Spender | undefined =>
  flows[flow].chains.includes(chainId) ? flows[flow].spender : undefined

/** The one spender of a flow on a chain, or the refusal that says where the flow is. */
export const of = Effect.fnUntraced(function* (flow: Flow, chainId: string) {
  const found = find(flow, chainId)
  if (found !== undefined) return found
  const supported = flows[flow].chains
  return yield* new UnsupportedChain({
    param: "flow",
    message: `${flow} is not available on ${chainId}; use a wallet on one of: ${supported.join(", ")}.`,
    details: { supported: [...supported] }
  })
})
