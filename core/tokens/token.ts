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

/** The tokens everybody knows, USDC aside, each held to its symbol and, where that is for ever, to its code. */
export const wellKnown: ReadonlyArray<Listed> = Object.values(Address.families).flatMap(
  ({ tokens }) =>
    Object.entries(tokens).flatMap(([chainId, known]) =>
      known.map(({ codeHash = null, isRenamed, ...token }) => ({
        ...token,
        chainId,
        // Written as it is shown: its checksum is proven by a test and not at every start.
        address: token.address as Address.Address,
        says: { symbol: isRenamed === true ? null : token.symbol, codeHash }
      }))
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

/** What an operator says of a token that everybody knows holds it to more, or to another symbol, and changes nothing else. */
const holdTo = (known: Token, { says }: Listed): Token =>
  says === undefined
    ? known
    : {
        ...known,
        says: {
          // One that calls itself otherwise by now is not held to what everybody calls it.
          symbol: known.says?.symbol === null ? null : says.symbol,
          codeHash: says.codeHash ?? known.says?.codeHash ?? null,
          ...(says.behind === undefined ? {} : { behind: says.behind })
        }
      }

/** Every token vouched for on a chain, each contract once: what is ours goes before what an operator says. */
export const verifiedOn = (
  connected: Connected,
  added: ReadonlyArray<Listed>
): ReadonlyArray<Token> => {
  const byAddress = new Map<string, Token>()
  for (const listed of [...wellKnown, ...added]) {
    if (listed.chainId !== connected.chain.id) continue
    const address = Address.keyOf(listed.chainId, listed.address)
    const known = byAddress.get(address)
    byAddress.set(
      address,
      known === undefined ? { ...listed, address, isUsdc: false } : holdTo(known, listed)
    )
  }
  byAddress.delete(connected.usdc)
  return [coinOf(connected), usdcOf(connected), ...byAddress.values()]
}

/** The pinned list of a chain. */
export const pinnedOn = (
  connected: Connected,
  added: ReadonlyArray<Listed>
): ReadonlyArray<Pinned> =>
  verifiedOn(connected, added).flatMap((token) =>
    token.address === null ? [] : [{ ...token, address: token.address }]
  )

/** Whether it is the chain's USDC, of which nobody else says anything. */
export const isUsdc = (chainId: string, address: string): boolean => {
  const own = usdc[chainId]
  return own !== undefined && Address.isSame(chainId, own, address)
}

/** The token everybody knows at an address; undefined for USDC, and for any other. */
export const knownAt = (chainId: string, address: string): Listed | undefined =>
  wellKnown.find(
    (listed) => listed.chainId === chainId && Address.isSame(chainId, listed.address, address)
  )

/** Whether the treasury has this contract on its list before an operator adds any. */
export const isListed = (chainId: string, address: string): boolean =>
  isUsdc(chainId, address) || knownAt(chainId, address) !== undefined

/** Which tokens the operator vouches for, beside those everybody knows. */
export class TokenSettings extends Context.Service<
  TokenSettings,
  { readonly tokens: ReadonlyArray<Listed> }
>()("bursar/tokens/TokenSettings") {}
