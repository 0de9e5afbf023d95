/** Port Holdings over scripted chains: an address holds what the script paid it or gave it, and nothing else. */
import { Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import { type Foreign, Holdings, type KnownToken } from "../../core/ports/holdings.ts"
import { isListed, maxDecimals } from "../../core/tokens/token.ts"
import { coinOf } from "./scripted-calls.ts"
import * as ScriptedChain from "./scripted-chain.ts"

const maxCharacters = 256

const balanceOf = (
  chain: ScriptedChain.Scripted,
  holder: Address.Address,
  { address: token, decimals, says }: KnownToken
): bigint | undefined => {
  const address = Address.keyOf(chain.connected.chain.id, holder)
  if (token === null) return coinOf(chain, address)
  if (token === chain.connected.usdc) return ScriptedChain.balance(chain, address)
  const other = chain.others.get(token)
  // The tokens everybody knows are there before anyone gives any away.
  if (other === undefined) return isListed(chain.connected.chain.id, token) ? 0n : undefined
  const named = says?.symbol ?? other.symbol
  const coded = says?.codeHash ?? null
  const isAsListed =
    other.decimals === decimals &&
    other.symbol.toLowerCase() === named.toLowerCase() &&
    (coded === null || coded === other.codeHash) &&
    (says?.behind === undefined || says.behind === other.behind)
  return isAsListed ? (other.balances.get(address) ?? 0n) : undefined
}

const foreignTo = (
  chain: ScriptedChain.Scripted,
  holder: Address.Address,
  except: ReadonlyArray<Address.AddressKey>
): ReadonlyArray<Foreign> =>
  Array.from(chain.others).flatMap(([tokenAddress, { symbol, name, decimals, balances }]) => {
    const balance = balances.get(Address.keyOf(chain.connected.chain.id, holder)) ?? 0n
    const isKnown = except.includes(tokenAddress)
    const isReadable = Number.isInteger(decimals) && decimals >= 0 && decimals <= maxDecimals
    if (isKnown || !isReadable || balance <= 0n) return []
    const [bounded, named] = [symbol.slice(0, maxCharacters), name.slice(0, maxCharacters)]
    return [{ holder, tokenAddress, symbol: bounded, name: named, decimals, balance }]
  })

export const layer = (state: ScriptedChain.State): Layer.Layer<Holdings> =>
  Layer.sync(Holdings, () => {
    const present = (chainId: string) => ScriptedChain.present(state, chainId)
    return {
      balances: (chainId, addresses, tokens) =>
        Effect.map(present(chainId), (chain) =>
          addresses.map((holder) => tokens.map((token) => balanceOf(chain, holder, token)))
        ),
      received: (chainId, addresses, except) =>
        Effect.map(present(chainId), (chain) =>
          addresses.flatMap((holder) => foreignTo(chain, holder, except))
        )
    }
  })
