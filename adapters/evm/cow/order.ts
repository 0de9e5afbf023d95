/**
 * Orders of CoW Protocol as their wallets sign them (EIP-712) and as the settlement contract counts them. What is
 * signed follows from our own order alone: it is sold whole or not at all, pays no fee beside what is sold, and
 * carries no text of anybody else's.
 */
import type { Hex } from "viem"
import { concat, encodeFunctionData, hashTypedData, parseAbi, toHex } from "viem/utils"
import { AddressKey } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { termsOf } from "../../../core/evm/call.ts"
import type { Invalidation, SignedOrder, SwapOrder } from "../../../core/ports/swap-venue.ts"
import { address } from "../contract.ts"

/** The same on every chain there is one. */
export const settlement = "0x9008d19f58aabd9ed0d60971565aa8510560ab41"

/** What an order says of itself to those who read order books: nothing. */
export const appData = "{}"
const appDataHash = "0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d"

const types = {
  Order: [
    { name: "sellToken", type: "address" },
    { name: "buyToken", type: "address" },
    { name: "receiver", type: "address" },
    { name: "sellAmount", type: "uint256" },
    { name: "buyAmount", type: "uint256" },
    { name: "validTo", type: "uint32" },
    { name: "appData", type: "bytes32" },
    { name: "feeAmount", type: "uint256" },
    { name: "kind", type: "string" },
    { name: "partiallyFillable", type: "bool" },
    { name: "sellTokenBalance", type: "string" },
    { name: "buyTokenBalance", type: "string" }
  ]
} as const

const numberOf = (chainId: string): number => {
  const chain = Chain.find(chainId)
  if (chain === undefined) throw new Error(`The chain ${chainId} is not known.`)
  return Chain.eip155(chain)
}

/** What the wallet signs. */
export const typed = (order: SwapOrder) => ({
  domain: {
    name: "Gnosis Protocol",
    version: "v2",
    chainId: numberOf(order.chainId),
    verifyingContract: address(settlement)
  },
  types,
  primaryType: "Order" as const,
  message: {
    sellToken: address(order.sell),
    buyToken: address(order.buy),
    receiver: address(order.receiver),
    sellAmount: order.sellAmount,
    buyAmount: order.minBuyAmount,
    validTo: order.validTo,
    appData: appDataHash,
    feeAmount: 0n,
    kind: "sell",
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20"
  } as const
})

export const digestOf = (order: SwapOrder): Hex => hashTypedData(typed(order))

/** What the contract knows the order by: its digest, its owner and its end. */
export const uidOf = (order: SwapOrder): Hex =>
  concat([digestOf(order), address(order.owner), toHex(order.validTo, { size: 4 })])

const abi = parseAbi(["function invalidateOrder(bytes orderUid)"])

/** What the owner calls, and nobody else may, so that the contract fills the order no more. */
export const invalidationOf = (order: SignedOrder): Invalidation => {
  const to = AddressKey.make(settlement)
  const data = encodeFunctionData({ abi, functionName: "invalidateOrder", args: [uidOf(order)] })
  return { to, call: termsOf({ to, data, value: 0n }) }
}

/** What is said to the order book of a signed order. */
export const bodyOf = (order: SignedOrder) => {
  const { buyAmount, feeAmount, sellAmount, ...message } = typed(order).message
  return {
    ...message,
    sellAmount: String(sellAmount),
    buyAmount: String(buyAmount),
    feeAmount: String(feeAmount),
    appData,
    appDataHash,
    signingScheme: "eip712",
    signature: order.signature,
    from: order.owner
  }
}
