/**
 * The tokens the treasury vouches for, on each chain: its coin, USDC, a few that everybody knows, and
 * those an operator adds. Decimals come from here alone; what a contract says of itself proves nothing.
 */

import { Context } from "effect"
import * as Address from "../chains/address.ts"
import { usdc } from "../chains/usdc.ts"
import type { Connected } from "../ports/chains.ts"

/** A token by its contract. */
export interface Listed {
  readonly chainId: string
  readonly address: Address.Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

export interface Token extends Omit<Listed, "address"> {
  /** Null for the coin the chain pays its fees in. */
  readonly address: Address.AddressKey | null
  readonly isUsdc: boolean
}

/** A token may have no more decimals than these; who claims more is not read. */
export const maxDecimals = 36

/** The tokens everybody knows, USDC aside. */
export const wellKnown: ReadonlyArray<Listed> = Object.values(Address.families).flatMap(
  ({ tokens }) =>
    Object.entries(tokens).flatMap(([chainId, known]) =>
      known.map((token) => ({ ...token, chainId, address: Address.shown(chainId, token.address) }))
    )
)

const coinOf = ({ chain }: Connected): Token => ({
  ...Address.families[chain.family].coinOf(chain),
  chainId: chain.id,
  address: null,
  isUsdc: false
})

const usdcOf = ({ chain, usdc: address }: Connected): Token => ({
  chainId: chain.id,
  address,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  isUsdc: true
})

/** Every token vouched for on a chain, each contract once: what is ours goes before what an operator says. */
export const verifiedOn = (
  connected: Connected,
  added: ReadonlyArray<Listed>
): ReadonlyArray<Token> => {
  const byAddress = new Map<string, Token>([[connected.usdc, usdcOf(connected)]])
  for (const listed of [...wellKnown, ...added]) {
    const address = Address.keyOf(listed.chainId, listed.address)
    if (listed.chainId !== connected.chain.id || byAddress.has(address)) continue
    byAddress.set(address, { ...listed, address, isUsdc: false })
  }
  return [coinOf(connected), ...byAddress.values()]
}

/** Whether the treasury already has this contract, and so an operator need not and cannot list it. */
export const isListed = (chainId: string, address: string): boolean => {
  const own = usdc[chainId]
  if (own !== undefined && Address.isSame(chainId, own, address)) return true
  return wellKnown.some(
    (listed) => listed.chainId === chainId && Address.isSame(chainId, listed.address, address)
  )
}

/** Which tokens the operator vouches for, beside those everybody knows. */
export class TokenSettings extends Context.Service<
  TokenSettings,
  { readonly tokens: ReadonlyArray<Listed> }
>()("bursar/tokens/TokenSettings") {}
