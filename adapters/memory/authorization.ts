/**
 * Authorizations of the scripted chains: a transfer's nonce comes from chain, token and proposal as on a
 * real one, and a signature is a digest that fits nothing but what it was made for.
 */
import { encodePacked, keccak256, toHex } from "viem/utils"
import type { Authorization } from "../../core/submissions/execution.ts"
import type { Order } from "../../core/submissions/submitter.ts"

const nonceOf = (chainId: string, token: string, proposalId: string): string =>
  keccak256(
    encodePacked(
      ["string", "string", "address", "string"],
      // An address of a connection, in the type viem wants.
      ["bursar:send:v1", chainId, token as `0x${string}`, proposalId]
    )
  )

const signatureOf = (authorization: Omit<Authorization, "signature">): string => {
  const { act, chainId, token, from, to, amountMicro, nonce, validAfter, validBefore } =
    authorization
  const terms = [act, chainId, token, from, to, String(amountMicro), nonce, validBefore]
  const said = validAfter === undefined ? terms : [...terms, validAfter]
  return keccak256(toHex(JSON.stringify(["signed", ...said])))
}

/** Signs; `permits` is how many of the wallet's permits the token has taken. */
export const sign = (token: string, from: string, order: Order, permits: number): Authorization => {
  const unsigned = {
    act: order.act,
    chainId: order.chainId,
    token,
    from: from.toLowerCase(),
    to: order.to.toLowerCase(),
    amountMicro: order.amountMicro,
    nonce:
      order.act === "permit" ? String(permits) : nonceOf(order.chainId, token, order.proposalId),
    validBefore: order.validBefore
  }
  return { ...unsigned, signature: signatureOf(unsigned) }
}

/** What a payer's own wallet signs, which the treasury holds no key of. */
export const signedByPayer = (unsigned: Omit<Authorization, "signature">): Authorization => ({
  ...unsigned,
  signature: signatureOf(unsigned)
})

export const isSigned = (authorization: Authorization): boolean =>
  authorization.signature === signatureOf(authorization)
