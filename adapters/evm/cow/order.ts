/**
 * Orders of CoW Protocol as their wallets sign them (EIP-712) and as the settlement contract counts them. What is
 * signed follows from our own order alone: it is sold whole or not at all, pays no fee beside what is sold, and
 * carries the identity of its call, by which it is known again when all records are lost.
 */
import type { Hex } from "viem"
import {
  concat,
  encodeFunctionData,
  hashTypedData,
  keccak256,
  parseAbi,
  stringToHex,
  toHex
} from "viem/utils"
import { AddressKey } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { canonical } from "../../../core/encoding/canonical.ts"
import { termsOf } from "../../../core/evm/call.ts"
import type { Invalidation, SignedOrder, SwapOrder } from "../../../core/ports/swap-venue.ts"
import { address } from "../contract.ts"

/** The same on every chain there is one. */
export const settlement = "0x9008d19f58aabd9ed0d60971565aa8510560ab41"

/** A document of the protocol's own form that says nothing; what is only quoted has no more to say. */
export const noAppData = "{}"

/** What an order says of itself to those who read order books: whose call it is, which nobody else can tell or make. */
export const appDataOf = ({ identity }: Pick<SwapOrder, "identity">): string =>
  canonical({ environment: identity, metadata: {}, version: "1.1.0" })

const appDataHashOf = (order: Pick<SwapOrder, "identity">): Hex =>
  keccak256(stringToHex(appDataOf(order)))

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

/** An order of anybody, in the contract's own words. */
export interface Message {
  readonly sellToken: Hex
  readonly buyToken: Hex
  readonly receiver: Hex
  readonly sellAmount: bigint
  readonly buyAmount: bigint
  readonly validTo: number
  readonly appData: Hex
  readonly feeAmount: bigint
  readonly kind: string
  readonly partiallyFillable: boolean
  readonly sellTokenBalance: string
  readonly buyTokenBalance: string
}

const typedFor = <M extends Message>(chainId: string, message: M) => ({
  domain: {
    name: "Gnosis Protocol",
    version: "v2",
    chainId: numberOf(chainId),
    verifyingContract: address(settlement)
  },
  types,
  primaryType: "Order" as const,
  message
})

/** What the wallet signs. */
export const typed = (order: SwapOrder) =>
  typedFor(order.chainId, {
    sellToken: address(order.sell),
    buyToken: address(order.buy),
    receiver: address(order.receiver),
    sellAmount: order.sellAmount,
    buyAmount: order.minBuyAmount,
    validTo: order.validTo,
    appData: appDataHashOf(order),
    feeAmount: 0n,
    kind: "sell",
    partiallyFillable: false,
    sellTokenBalance: "erc20",
    buyTokenBalance: "erc20"
  } as const)

export const digestOf = (order: SwapOrder): Hex => hashTypedData(typed(order))

/** What the contract knows an order by: its digest, its owner and its end. */
export const uidFor = (chainId: string, owner: string, message: Message): Hex =>
  concat([
    hashTypedData(typedFor(chainId, message)),
    address(owner),
    toHex(message.validTo, { size: 4 })
  ])

export const uidOf = (order: SwapOrder): Hex =>
  uidFor(order.chainId, order.owner, typed(order).message)

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
    appData: appDataOf(order),
    appDataHash: message.appData,
    signingScheme: "eip712",
    signature: order.signature,
    from: order.owner
  }
}
