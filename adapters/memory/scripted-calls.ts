/**
 * What wallets do on a scripted chain in transactions of their own, and the coin they pay them with. Of all that
 * could be called the chain knows an ERC-20 approval; any other call runs and does nothing.
 */
import { Schema } from "effect"
import { decodeFunctionData, parseAbi } from "viem/utils"
import * as Address from "../../core/chains/address.ts"
import type { Approval } from "./scripted-approvals.ts"

const abi = parseAbi(["function approve(address spender, uint256 amount)"])

export const Own = Schema.Struct({
  to: Schema.String,
  data: Schema.String,
  value: Schema.BigIntFromString,
  gas: Schema.BigIntFromString
})
export type Own = typeof Own.Type

export const Lent = Schema.Struct({ to: Address.AddressKey, wei: Schema.BigIntFromString })
export type Lent = typeof Lent.Type

interface Sent {
  readonly txHash: Address.TransactionId
  readonly relayer: Address.Address
  readonly maxFeePerGas: bigint
  readonly own?: Own
  readonly lent?: Lent
}

/** As much of a scripted chain as calls are made on. */
interface Chain {
  readonly connected: { readonly chain: { readonly id: string } }
  readonly coins: ReadonlyMap<Address.AddressKey, bigint>
  readonly oddities: ReadonlyMap<Address.AddressKey, "reverts" | "ignores">
  readonly landed: ReadonlyArray<Sent & { readonly isPaid: boolean }>
}

const keyOf = (chain: Chain, address: string) => Address.keyOf(chain.connected.chain.id, address)

const costOf = ({ maxFeePerGas, own }: Sent): bigint =>
  own === undefined ? 0n : own.gas * maxFeePerGas + own.value

/** The chain's coin that an address holds: what scripts gave it and what it was lent, less what it spent. */
export const coinOf = (chain: Chain, holder: Address.AddressKey): bigint => {
  let wei = chain.coins.get(holder) ?? 0n
  for (const sent of chain.landed) {
    if (sent.lent?.to === holder) wei += sent.lent.wei
    if (sent.own !== undefined && keyOf(chain, sent.relayer) === holder) wei -= costOf(sent)
  }
  return wei
}

/** Scripted relayers always have what they give. */
export const isAffordable = (chain: Chain, sent: Sent): boolean =>
  sent.own === undefined || coinOf(chain, keyOf(chain, sent.relayer)) >= costOf(sent)

/** The approval that a wallet's own call makes, if it makes one. */
export const approvalOf = (
  chain: Chain,
  { relayer, txHash }: Sent,
  own: Own
): Approval | undefined => {
  const token = keyOf(chain, own.to)
  if (chain.oddities.has(token)) return undefined
  try {
    const { args } = decodeFunctionData({ abi, data: own.data as `0x${string}` })
    return {
      token,
      owner: keyOf(chain, relayer),
      spender: keyOf(chain, args[0]),
      txHash,
      amount: args[1],
      isPermit: false
    }
  } catch {
    return undefined
  }
}
