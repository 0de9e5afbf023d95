/**
 * Which token of the pinned list a caller means. A symbol and an address together must name one token, so that
 * neither a look-alike's address nor a mistyped one is ever traded.
 */
import { Effect } from "effect"
import * as Address from "../chains/address.ts"
import { define, InvalidAddress, UnsupportedChain } from "../operation/refusal.ts"
import { requireConnected } from "./connected.ts"
import * as PinnedTokens from "./pinned.ts"
import { TokenNotVerified } from "./refusals.ts"
import type { Pinned } from "./token.ts"

export class TokenMismatch extends define("TOKEN_MISMATCH", {
  kind: "invalid",
  meaning:
    "The symbol and the address name two tokens, or the symbol alone names several; `details.tokens` lists them."
}) {}

/** What naming a token may be refused with. */
export const refusals = [TokenMismatch, TokenNotVerified, InvalidAddress, UnsupportedChain] as const

/** A token as a caller names it, and the fields it is named in. */
export interface Naming {
  readonly chainId: string
  readonly symbol: string | undefined
  readonly address: string | undefined
  readonly params: { readonly symbol: string; readonly address: string }
}

/** The pinned list of a chain that the treasury is connected to. */
const listOn = Effect.fnUntraced(function* (chainId: string) {
  yield* requireConnected(chainId, "fromWalletId")
  return (yield* PinnedTokens.on(chainId)) ?? []
})

const detailsOf = ({ address, chainId, symbol }: Pinned) => ({
  symbol,
  tokenAddress: Address.shown(chainId, address)
})

const folded = (symbol: string) => symbol.toLowerCase()

const isCalled = (symbol: string) => (token: Pinned) => folded(token.symbol) === folded(symbol)

/** Says that no such token is listed, and how to see which are. */
export const notVerified = (
  { chainId, symbol }: Pick<Naming, "chainId" | "symbol">,
  param: string,
  what: string
) =>
  new TokenNotVerified({
    param,
    message: `${what}; choose a verified token of ${chainId}.`,
    details: { chainId },
    next: {
      operation: "discover_tokens",
      args: { chainId, verifiedOnly: true, ...(symbol === undefined ? {} : { query: symbol }) }
    }
  })

const bySymbol = Effect.fnUntraced(function* (
  naming: Naming,
  symbol: string,
  tokens: ReadonlyArray<Pinned>
) {
  const [only, ...others] = tokens.filter(isCalled(symbol))
  if (only === undefined) {
    return yield* notVerified(naming, naming.params.symbol, "No verified token has this symbol")
  }
  if (others.length === 0) return only
  const all = [only, ...others].map(detailsOf)
  return yield* new TokenMismatch({
    param: naming.params.symbol,
    message: `${all.length} tokens are called ${only.symbol}: ${all.map(({ tokenAddress }) => tokenAddress).join(", ")}; send ${naming.params.address} too.`,
    details: { tokens: all }
  })
})

/** The one token that is meant. */
export const resolve = Effect.fnUntraced(function* (naming: Naming) {
  const { address: text, chainId, params, symbol } = naming
  const tokens = yield* listOn(chainId)
  if (text === undefined) return yield* bySymbol(naming, symbol ?? "", tokens)
  const address = Address.parse(chainId, text)
  if (address === undefined) {
    return yield* new InvalidAddress({
      param: params.address,
      message: `This is not an address of that chain; send ${Address.familyOf(chainId).addressForm}.`
    })
  }
  const found = tokens.find((token) => Address.isSame(chainId, token.address, address))
  if (found === undefined) {
    return yield* notVerified(naming, params.address, "This token is not verified here")
  }
  if (symbol === undefined || isCalled(symbol)(found)) return found
  const namesakes = tokens.filter(isCalled(symbol))
  return yield* new TokenMismatch({
    param: params.address,
    message: `${params.address} is ${found.symbol} and ${params.symbol} says another; correct one of the two.`,
    details: { tokens: [found, ...namesakes].map(detailsOf) },
    next: { operation: "discover_tokens", args: { chainId, verifiedOnly: true } }
  })
})
