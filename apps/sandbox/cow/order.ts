/**
 * Orders as the local order book reads them: CoW Protocol's fields, their EIP-712 digest and the uid under which
 * the settlement contract counts what was filled. It shares no code with those who sign them.
 */
import type { Hex } from "viem"
import { concat, hashTypedData, toHex } from "viem/utils"
import { type Address, address } from "../../../adapters/evm/contract.ts"
import { settlement } from "./deployment.ts"

export interface SignedOrder {
  readonly sellToken: Address
  readonly buyToken: Address
  readonly receiver: Address
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

export type Scheme = "eip712" | "eip1271" | "presign"

export type Body = Readonly<Record<string, unknown>>

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

const domain = (chainId: number) => ({
  name: "Gnosis Protocol",
  version: "v2",
  chainId,
  verifyingContract: address(settlement)
})

const cancellationTypes = { OrderCancellations: [{ name: "orderUids", type: "bytes[]" }] } as const

export const typed = (chainId: number, order: SignedOrder) => ({
  domain: domain(chainId),
  types,
  primaryType: "Order" as const,
  message: order
})

/** What an owner signs to take orders back at the book. */
export const cancellation = (chainId: number, orderUids: ReadonlyArray<Hex>) => ({
  domain: domain(chainId),
  types: cancellationTypes,
  primaryType: "OrderCancellations" as const,
  message: { orderUids }
})

export const digestOf = (chainId: number, order: SignedOrder): Hex =>
  hashTypedData(typed(chainId, order))

export const uidOf = (digest: Hex, owner: Address, validTo: number): Hex =>
  concat([digest, owner, toHex(validTo, { size: 4 })]).toLowerCase() as Hex

const bytes = (value: unknown, length: number): Hex => {
  const text = String(value)
  if (!new RegExp(`^0x[0-9a-fA-F]{${length * 2}}$`, "u").test(text)) {
    throw new SyntaxError(`${text.slice(0, 80)} is not ${length} bytes`)
  }
  return text as Hex
}

const amount = (value: unknown): bigint => {
  if (typeof value !== "string" || !/^\d{1,78}$/u.test(value)) {
    throw new SyntaxError("an amount is a decimal string")
  }
  return BigInt(value)
}

/** Throws a `SyntaxError` on what has not the form. */
export const read = (body: Body): SignedOrder => ({
  sellToken: bytes(body.sellToken, 20),
  buyToken: bytes(body.buyToken, 20),
  receiver: bytes(body.receiver ?? body.from, 20),
  sellAmount: amount(body.sellAmount),
  buyAmount: amount(body.buyAmount),
  validTo: Number(body.validTo),
  appData: bytes(body.appDataHash ?? body.appData, 32),
  feeAmount: amount(body.feeAmount),
  kind: String(body.kind),
  partiallyFillable: body.partiallyFillable === true,
  sellTokenBalance: String(body.sellTokenBalance ?? "erc20"),
  buyTokenBalance: String(body.buyTokenBalance ?? "erc20")
})

export { amount as readAmount, bytes as readBytes }
