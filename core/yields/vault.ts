/**
 * The vaults the treasury vouches for, on each chain: those everybody knows and those an operator adds. Only
 * what is in them is priced and counted; any other vault says of itself whatever its maker likes.
 */
import { Context } from "effect"
import * as Address from "../chains/address.ts"
import { yieldVaults } from "../chains/yield-vaults.ts"
import type { Connected } from "../ports/chains.ts"
import type { VaultReference } from "../ports/yield-positions.ts"
import type { Token } from "../tokens/token.ts"

/** A vault that an operator vouches for. */
export interface ListedVault {
  readonly chainId: string
  readonly kind: VaultReference["kind"]
  readonly protocol: string
  readonly address: Address.Address
  /** The token it holds; USDC when left out. */
  readonly asset?: Address.Address
}

export interface YieldVault extends VaultReference {
  readonly chainId: string
  readonly protocol: string
  /** The verified token it holds, by which it is priced. */
  readonly token: Token
}

/** Every vault vouched for on a chain, each once. One that holds a token nobody vouches for is left out. */
export const vouchedOn = (
  { chain, usdc }: Connected,
  added: ReadonlyArray<ListedVault>,
  tokens: ReadonlyArray<Token>
): ReadonlyArray<YieldVault> => {
  const known = (yieldVaults[chain.id] ?? []).map((vault) => ({ ...vault, chainId: chain.id }))
  const byAddress = new Map<string, YieldVault>()
  for (const listed of [...known, ...added]) {
    if (listed.chainId !== chain.id) continue
    const address = Address.keyOf(chain.id, listed.address)
    const given = "asset" in listed ? listed.asset : undefined
    const asset = given === undefined ? usdc : Address.keyOf(chain.id, given)
    const token = tokens.find((each) => each.address === asset)
    if (token === undefined || byAddress.has(address)) continue
    const { kind, protocol } = listed
    byAddress.set(address, { chainId: chain.id, kind, protocol, address, asset, token })
  }
  return [...byAddress.values()]
}

/** Which vaults the operator vouches for, beside those everybody knows. */
export class YieldSettings extends Context.Service<
  YieldSettings,
  { readonly yieldVaults: ReadonlyArray<ListedVault> }
>()("bursar/yields/YieldSettings") {}
