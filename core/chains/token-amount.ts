/** An amount with its token. Units of two tokens are never compared: what they are worth is (`core/money`). */
import { Schema } from "effect"
import type { Usdc } from "../money/usdc.ts"
import { AddressKey } from "./address.ts"
import type { Chain } from "./chain.ts"

/** A token on a chain; without an address it is the coin that the chain takes its fees in. */
export const TokenId = Schema.Struct({
  chainId: Schema.String,
  address: Schema.NullOr(AddressKey)
})
export type TokenId = typeof TokenId.Type

/** In the smallest units of the token, whatever its decimals. */
export const TokenAmount = Schema.Struct({ token: TokenId, units: Schema.BigIntFromString })
export type TokenAmount = typeof TokenAmount.Type

/** So much of the USDC of a chain that the treasury is connected to. */
export const ofUsdc = (
  { chain, usdc }: { readonly chain: Chain; readonly usdc: AddressKey },
  units: Usdc
): TokenAmount => ({
  token: { chainId: chain.id, address: usdc },
  units
})

export const isSameToken = (one: TokenId, other: TokenId): boolean =>
  one.chainId === other.chainId && one.address === other.address

export const isSame = (one: TokenAmount, other: TokenAmount): boolean =>
  one.units === other.units && isSameToken(one.token, other.token)
