/**
 * What wallets have in yield vaults that the treasury vouches for, as their chain says it now. The amount is the
 * vault's own word; that it is one of ours, and holds the token it should, is what makes it count.
 */
import { Effect } from "effect"
import type { Connected } from "../ports/chains.ts"
import { YieldPositions } from "../ports/yield-positions.ts"
import { TokenSettings, verifiedOn } from "../tokens/token.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { vouchedOn, YieldSettings, type YieldVault } from "./vault.ts"

export interface Position {
  readonly wallet: Wallet
  readonly vault: YieldVault
  readonly shares: bigint
  /** In the smallest units of the vault's token. */
  readonly assets: bigint
  readonly withdrawable: bigint
}

/** The vaults vouched for on a chain. */
export const vaultsOn = Effect.fnUntraced(function* (connected: Connected) {
  const tokens = verifiedOn(connected, (yield* TokenSettings).tokens)
  return vouchedOn(connected, (yield* YieldSettings).yieldVaults, tokens)
})

/** The positions of wallets that are all on this chain, in no order. */
export const positionsOn = Effect.fnUntraced(function* (
  connected: Connected,
  wallets: ReadonlyArray<Wallet>
) {
  const vaults = yield* vaultsOn(connected)
  if (vaults.length === 0 || wallets.length === 0) return []
  const found = yield* (yield* YieldPositions).positions(
    connected.chain.id,
    wallets.map(({ address }) => address),
    vaults
  )
  const walletByAddress = new Map(wallets.map((wallet) => [wallet.address, wallet]))
  const vaultByAddress = new Map(vaults.map((vault) => [vault.address, vault]))
  return found.flatMap(({ assets, owner, shares, vault: address, withdrawable }) => {
    const [wallet, vault] = [walletByAddress.get(owner), vaultByAddress.get(address)]
    return wallet === undefined || vault === undefined
      ? []
      : [{ wallet, vault, shares, assets, withdrawable } satisfies Position]
  })
})
