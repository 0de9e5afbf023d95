/**
 * The contracts that may be allowed to take a wallet's tokens: one for each flow and chain, from this
 * table and from nowhere else. An approval for a spender that a caller names is how wallets are emptied.
 */

import { Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import { spenders } from "../chains/evm-contracts.ts"
import { UnsupportedChain } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"

export const Flow = Schema.Literals(["intent_swap", "limit_order_bridge"]).annotate({
  description:
    "The purpose, which determines the spender: `intent_swap` for swaps, `limit_order_bridge` for bridges."
})
export type Flow = typeof Flow.Type

export interface Spender {
  readonly address: Address.Address
  readonly label: string
}

/** The table has them in display form: a checksum is a hash, and each start would make five. */
const spender = (label: keyof typeof spenders): Spender => ({
  address: Address.Address.make(spenders[label]),
  label
})

const vaultRelayer = spender("CoW Protocol GPv2VaultRelayer")
const dlnSource = spender("deBridge DlnSource")

/** Chains with an order store of intents; Optimism and most test chains have none. */
const orderBooks = ["ethereum", "base", "arbitrum", "polygon", "ethereum-sepolia"]
/** Limit orders are bridged between main chains alone. */
const bridged = ["ethereum", "base", "arbitrum", "optimism", "polygon"]
const sandbox = ["local"]

const flows: Readonly<
  Record<Flow, { readonly spender: Spender; readonly chains: ReadonlyArray<string> }>
> = {
  intent_swap: { spender: vaultRelayer, chains: [...orderBooks, ...sandbox] },
  limit_order_bridge: { spender: dlnSource, chains: [...bridged, ...sandbox, "local-2"] }
}

/** Spenders a wallet may have allowed by another tool; they are recognised and never approved here. */
const recognised: ReadonlyArray<Spender> = [
  spender("deBridge DeBridgeRouter"),
  spender("Circle TokenMessengerV2"),
  spender("Permit2")
]

/** Every spender there is a name for. */
export const knownSpenders: ReadonlyArray<Spender> = [vaultRelayer, dlnSource, ...recognised]

/** The one with a name at an address of a chain. */
export const at = (chainId: string, address: string): Spender | undefined =>
  knownSpenders.find((each) => Address.isSame(chainId, each.address, address))

/** The one spender of a flow on a chain, if the flow is there at all. */
export const find = (flow: Flow, chainId: string): Spender | undefined =>
  flows[flow].chains.includes(chainId) ? flows[flow].spender : undefined

/** The one spender of a flow on a chain, or the refusal that says on which connected chains the flow is. */
export const of = Effect.fnUntraced(function* (flow: Flow, chainId: string) {
  const found = find(flow, chainId)
  if (found !== undefined) return found
  const { connected } = yield* Chains
  const supported = connected
    .map(({ chain }) => chain.id)
    .filter((each) => flows[flow].chains.includes(each))
  const elsewhere =
    supported.length === 0 ? "ask the operator" : `use a wallet on one of: ${supported.join(", ")}`
  return yield* new UnsupportedChain({
    param: "flow",
    message: `${flow} is not available on ${chainId}; ${elsewhere}.`,
    details: { supported }
  })
})
