/**
 * What wallets do on a scripted chain in transactions of their own, and the coin they pay them with. Of all that
 * could be called the chain knows an ERC-20 approval; any other call runs and does nothing.
 */
import { Schema } from "effect"
import { decodeFunctionData, parseAbi } from "viem/utils"
import * as Address from "../../core/chains/address.ts"
import * as Approvals from "./scripted-approvals.ts"

/** How a token takes approvals otherwise than others: not at all, without doing it, or to zero before all else. */
export type Oddity = "reverts" | "ignores" | "by_zero"

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
  readonly oddities: ReadonlyMap<Address.AddressKey, Oddity>
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

/** What a wallet's own call asks of a token; undefined for any other call. */
const approvalIn = (chain: Chain, { relayer, txHash }: Sent, own: Own) => {
  try {
    const { args } = decodeFunctionData({ abi, data: own.data as `0x${string}` })
    const approval: Approvals.Approval = {
      token: keyOf(chain, own.to),
      owner: keyOf(chain, relayer),
      spender: keyOf(chain, args[0]),
      txHash,
      amount: args[1],
      isPermit: false
    }
    return approval
  } catch {
    return undefined
  }
}

export type Ran =
  | { readonly _tag: "reverted" }
  | { readonly _tag: "ran"; readonly approval: Approvals.Approval | undefined }

/** What becomes of a wallet's own call on the chain as it stands. */
export const run = (
  chain: Chain & Approvals.Chain,
  sent: Omit<Sent, "lent" | "maxFeePerGas">,
  own: Own
): Ran => {
  const approval = approvalIn(chain, { ...sent, maxFeePerGas: 0n }, own)
  const oddity = chain.oddities.get(keyOf(chain, own.to))
  if (oddity === "reverts") return { _tag: "reverted" }
  if (oddity === "ignores") return { _tag: "ran", approval: undefined }
  const isChanged =
    approval !== undefined &&
    approval.amount > 0n &&
    (Approvals.current(chain, approval) ?? 0n) > 0n
  return oddity === "by_zero" && isChanged ? { _tag: "reverted" } : { _tag: "ran", approval }
}
