/**
 * The relayer's EIP-1559 transactions: around an authorization, or around nothing to use a nonce up.
 * Whoever holds the key signs the digest; the bytes are put together here.
 */
import { Effect } from "effect"
import { keccak256, serializeTransaction } from "viem/utils"
import type { Authorization, Fees } from "../../core/evm/journal.ts"
import { callOf, hexOf } from "./authorization.ts"
import { type Address, address, transactionOf } from "./contract.ts"
import type { RelayerKey } from "./relayer-key.ts"

/** A transaction in the relayer's name; the chain it is for, and where it stands in the relayer's order. */
export interface Place {
  readonly relayer: RelayerKey
  readonly chainNumber: number
  readonly relayerNonce: number
}

export interface Message {
  readonly to: Address
  readonly data?: Address
  /** In wei. */
  readonly value?: bigint
}

type Hex = `0x${string}`

/** Puts a transaction together around the signature that `sign` makes of its digest, 65 bytes. */
export const signedBy = Effect.fnUntraced(function* <E>(
  sign: (digest: Hex) => Effect.Effect<Hex, E>,
  { chainNumber, nonce }: { readonly chainNumber: number; readonly nonce: number },
  message: Message,
  { maxFeePerGas, maxPriorityFeePerGas, gas }: Fees
) {
  const transaction = {
    type: "eip1559",
    chainId: chainNumber,
    nonce,
    ...message,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas
  } as const
  const signature = yield* sign(keccak256(serializeTransaction(transaction)))
  const raw = serializeTransaction(transaction, {
    r: hexOf(signature.slice(0, 66)),
    s: hexOf(`0x${signature.slice(66, 130)}`),
    yParity: signature.endsWith("1c") ? 1 : 0
  })
  return { raw, txHash: transactionOf(keccak256(raw)) }
})

const signed = ({ chainNumber, relayer, relayerNonce }: Place, message: Message, fees: Fees) =>
  signedBy(relayer.sign, { chainNumber, nonce: relayerNonce }, message, fees)

export const wrap = (place: Place, authorization: Authorization, fees: Fees) =>
  signed(place, { to: address(authorization.token), data: callOf(authorization) }, fees)

/** The relayer sends itself nothing. */
export const fill = Effect.fnUntraced(function* (place: Place, fees: Fees) {
  const { raw } = yield* signed(place, { to: yield* place.relayer.address }, fees)
  return raw
})

/** The relayer gives an address some of the chain's coin. */
export const lend = (place: Place, to: string, wei: bigint, fees: Fees) =>
  signed(place, { to: address(to), value: wei }, fees)
