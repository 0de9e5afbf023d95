/**
 * The tokens the treasury vouches for, on each chain: its coin, USDC, a few that everybody knows, and
 * those an operator adds. Decimals come from here alone; what a contract says of itself proves nothing. Those with a
 * contract are the pinned list: nothing else is traded or approved.
 */

import { Context } from "effect"
import * as Address from "../chains/address.ts"
import type { KnownToken } from "../chains/family.ts"
import { usdc } from "../chains/usdc.ts"
import type { Connected } from "../ports/chains.ts"
import type { Says } from "../ports/holdings.ts"

/** A token by its contract. */
export interface Listed extends KnownToken {
  readonly chainId: string
  readonly address: Address.Address
  /** To what its contract is held beside its decimals; to nothing when left out. */
  readonly says?: Says
}

export interface Token extends Omit<Listed, "address"> {
  /** Null for the coin the chain pays its fees in. */
  readonly address: Address.AddressKey | null
  readonly isUsdc: boolean
}

/** A token of the pinned list: one that may be traded, and approved for a spender. */
export interface Pinned extends Token {
  readonly address: Address.AddressKey
}

/** What is said of a token that an operator says no more of: it is approved by transactions, and has one price. */
export const plain = { permit: "none", priceId: null, approvesByZero: false } as const

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
  ...plain,
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
  // Circle's contracts take permits where wallets give allowances at all.
  permit: Address.families[chain.family].takesApprovals ? "fiattoken" : "none",
  priceId: "usd-coin",
  approvesByZero: false,
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

/** The pinned list of a chain. */
export const pinnedOn = (
  connected: Connected,
  added: ReadonlyArray<Listed>
): ReadonlyArray<Pinned> =>
  verifiedOn(connected, added).flatMap((token) =>
    token.address === null ? [] : [{ ...token, address: token.address }]
  )

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
