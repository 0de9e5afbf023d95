/**
 * EIP-3009 authorizations of Circle's USDC. The nonce is the identity of the payment, so the token itself refuses
 * to pay one proposal twice, whoever signs or carries it again.
 */
import { encodeFunctionData, hashTypedData, parseAbi, toEventSelector } from "viem/utils"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Order } from "../../core/submissions/order.ts"
import { address, keyOf, abi as usdc } from "./contract.ts"
import type { Domain } from "./domain.ts"
import { authorizationTopic } from "./log.ts"
import * as Permit from "./permit.ts"
import type { Call } from "./rpc.ts"

type Hex = `0x${string}`

const abi = parseAbi([
  "function authorizationState(address authorizer, bytes32 nonce) view returns (bool)"
])

const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const

export const usedTopic = authorizationTopic
export const cancelledTopic = toEventSelector("AuthorizationCanceled(address,bytes32)")

/** Text known to be hex, in the type viem wants; both are plain text at run time. */
export const hexOf = (text: string): Hex => text as Hex

const message = (authorization: Omit<Authorization, "signature">) => ({
  from: address(authorization.from),
  to: address(authorization.to),
  value: authorization.amountMicro,
  validAfter: BigInt(authorization.validAfter ?? 0),
  validBefore: BigInt(authorization.validBefore),
  nonce: hexOf(authorization.nonce)
})

/** What a wallet signs for an order, and the digest that it signs. */
export const unsigned = (domain: Domain, order: Order) => {
  const authorization = {
    act: "transfer" as const,
    chainId: order.chainId,
    token: keyOf(domain.verifyingContract),
    from: order.from,
    to: order.to,
    amountMicro: Usdc.make(order.amount.units),
    nonce: `0x${order.identity}`,
    validBefore: order.validBefore
  }
  const digest = hashTypedData({
    domain,
    types,
    primaryType: "TransferWithAuthorization",
    message: message(authorization)
  })
  return { authorization, digest }
}

/** What a transaction to the token says to use the authorization. */
export const callOf = (authorization: Authorization): Hex => {
  if (authorization.act === "permit") return Permit.callOf(authorization)
  const { from, to, value, validAfter, validBefore, nonce } = message(authorization)
  return encodeFunctionData({
    abi: usdc,
    functionName: "transferWithAuthorization",
    args: [from, to, value, validAfter, validBefore, nonce, hexOf(authorization.signature)]
  })
}

/** Asks whether the authorization was used or cancelled, as of a block. */
export const askState = (
  { token, from, nonce }: Pick<Authorization, "token" | "from" | "nonce">,
  at: "latest" | { readonly blockHash: string }
): Call => {
  const data = encodeFunctionData({
    abi,
    functionName: "authorizationState",
    args: [address(from), hexOf(nonce)]
  })
  return { method: "eth_call", params: [{ to: token, data }, at] }
}
