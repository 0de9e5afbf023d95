/**
 * Authorizations of the scripted chains: a transfer's nonce is the payment's identity as on a real
 * one, and a signature is a digest that fits nothing but what it was made for.
 */
import { hexToBytes, keccak256, toHex } from "viem/utils"
import type { AddressKey } from "../../core/chains/address.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Order } from "../../core/submissions/order.ts"

const signatureOf = (authorization: Omit<Authorization, "signature">): `0x${string}` => {
  const { act, chainId, token, from, to, amountMicro, nonce, validAfter, validBefore } =
    authorization
  const terms = [act, chainId, token, from, to, String(amountMicro), nonce, validBefore]
  const said = validAfter === undefined ? terms : [...terms, validAfter]
  return keccak256(toHex(JSON.stringify(["signed", ...said])))
}

/** What a wallet signs for an order; `permits` is how many of the wallet's permits the token has taken. */
export const unsigned = (token: AddressKey, order: Order, permits: number) => {
  const authorization = {
    act: order.act === "permit" ? ("permit" as const) : ("transfer" as const),
    chainId: order.chainId,
    token,
    from: order.from,
    to: order.to,
    amountMicro: Usdc.make(order.amount.units),
    nonce: order.act === "permit" ? String(permits) : `0x${order.identity}`,
    validBefore: order.validBefore
  }
  return { authorization, digest: hexToBytes(signatureOf(authorization)) }
}

/** What a payer's own wallet signs, which the treasury holds no key of. */
export const signedByPayer = (unsigned: Omit<Authorization, "signature">): Authorization => ({
  ...unsigned,
  signature: signatureOf(unsigned)
})

export const isSigned = (authorization: Authorization): boolean =>
  authorization.signature === signatureOf(authorization)
