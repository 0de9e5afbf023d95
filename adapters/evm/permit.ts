/**
 * EIP-2612 permits of Circle's USDC: a wallet lets a spender take an exact amount, and somebody else pays
 * the gas. The token counts a wallet's permits and takes only the next one, so one is taken once.
 */
import { Effect } from "effect"
import { encodeFunctionData, hashTypedData, parseAbi } from "viem/utils"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Order } from "../../core/submissions/order.ts"
import { type Address, address, keyOf } from "./contract.ts"
import type { Domain } from "./domain.ts"
import * as Node from "./node.ts"
import type { Call } from "./rpc.ts"

const abi = parseAbi([
  "function nonces(address owner) view returns (uint256)",
  "function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)"
])

const types = {
  Permit: [
    { name: "owner", type: "address" },
    { name: "spender", type: "address" },
    { name: "value", type: "uint256" },
    { name: "nonce", type: "uint256" },
    { name: "deadline", type: "uint256" }
  ]
} as const

/** What a wallet signs for an order at the count the token expects next, and the digest that it signs. */
export const unsigned = (domain: Domain, order: Order, count: bigint) => {
  const message = {
    owner: address(order.from),
    spender: address(order.to),
    value: order.amount.units,
    nonce: count,
    deadline: BigInt(order.validBefore)
  }
  const authorization = {
    act: "permit" as const,
    chainId: order.chainId,
    token: keyOf(domain.verifyingContract),
    from: order.from,
    to: order.to,
    amountMicro: Usdc.make(order.amount.units),
    nonce: String(count),
    validBefore: order.validBefore
  }
  return { authorization, digest: hashTypedData({ domain, types, primaryType: "Permit", message }) }
}

/** What a transaction to the token says to use the permit. */
export const callOf = (permit: Authorization): Address =>
  encodeFunctionData({
    abi,
    functionName: "permit",
    args: [
      address(permit.from),
      address(permit.to),
      permit.amountMicro,
      BigInt(permit.validBefore),
      address(permit.signature)
    ]
  })

const ask = (
  token: string,
  owner: string,
  at: "latest" | { readonly blockHash: string }
): Call => ({
  method: "eth_call",
  params: [
    {
      to: token,
      data: encodeFunctionData({ abi, functionName: "nonces", args: [address(owner)] })
    },
    at
  ]
})

/** How many permits of the owner the token has taken, as of a block: the number of the next. */
export const count = Effect.fnUntraced(function* (
  node: Node.Node,
  owner: string,
  at: Parameters<typeof ask>[2] = "latest"
) {
  const [answer] = yield* node.ask([ask(node.connection.usdc, owner, at)])
  if (typeof answer !== "string" || !/^0x[0-9a-f]{64}$/iu.test(answer)) {
    return yield* Node.unavailable(node, "inconsistent", "the token does not count permits")
  }
  return BigInt(answer)
})
