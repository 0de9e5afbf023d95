/**
 * EIP-3009 authorizations of Circle's USDC. The nonce is the identity of the payment, so the token itself refuses
 * to pay one proposal twice, whoever signs or carries it again.
 */
import { keccak256, toEventSelector } from "viem/utils"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Order } from "../../core/submissions/order.ts"
import { keyOf } from "./contract.ts"
import { type Domain, separatorOf } from "./domain.ts"
import { authorizationTopic } from "./log.ts"
import * as Permit from "./permit.ts"
import type { Call } from "./rpc.ts"
import * as Words from "./words.ts"

type Hex = `0x${string}`

const fields =
  "address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce"

const typeHash = keccak256(Buffer.from(`TransferWithAuthorization(${fields})`))

const using = Words.selectorOf(`transferWithAuthorization(${fields},bytes signature)`)
const stating = Words.selectorOf("authorizationState(address,bytes32)")

export const usedTopic = authorizationTopic
export const cancelledTopic = toEventSelector("AuthorizationCanceled(address,bytes32)")

/** Text known to be hex, in the type viem wants; both are plain text at run time. */
export const hexOf = (text: string): Hex => text as Hex

/** What it says, in the order in which it is signed and told to the token. */
const wordsOf = (authorization: Omit<Authorization, "signature">): ReadonlyArray<string> => [
  Words.ofAddress(authorization.from),
  Words.ofAddress(authorization.to),
  Words.ofUint(authorization.amountMicro),
  Words.ofUint(BigInt(authorization.validAfter ?? 0)),
  Words.ofUint(BigInt(authorization.validBefore)),
  Words.ofBytes32(authorization.nonce)
]

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
  const digest = Words.digestOf(separatorOf(domain), typeHash, wordsOf(authorization))
  return { authorization, digest }
}

/** What a transaction to the token says to use the authorization. */
export const callOf = (authorization: Authorization): Hex => {
  if (authorization.act === "permit") return Permit.callOf(authorization)
  const words = wordsOf(authorization)
  const [place, signature] = Words.lastBytes(authorization.signature, words.length + 1)
  return `${using}${words.join("")}${place}${signature}`
}

/** Asks whether the authorization was used or cancelled, as of a block. */
export const askState = (
  { token, from, nonce }: Pick<Authorization, "token" | "from" | "nonce">,
  at: "latest" | { readonly blockHash: string }
): Call => {
  const data = `${stating}${Words.ofAddress(from)}${Words.ofBytes32(nonce)}`
  return { method: "eth_call", params: [{ to: token, data }, at] }
}
