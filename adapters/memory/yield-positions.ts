/** Port YieldPositions over scripted chains: a vault is a token that a script has said what it is worth. */
import { Context, DateTime, Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import type { Decimal } from "../../core/money/decimal.ts"
import {
  type HeldToken,
  type VaultPosition,
  type VaultReference,
  YieldPositions
} from "../../core/ports/yield-positions.ts"
import * as ScriptedChain from "./scripted-chain.ts"

export interface ScriptedVault extends Pick<VaultReference, "kind" | "asset"> {
  /** What a million shares are worth in the asset, in smallest units. */
  readonly assetsPerMillion: bigint
  /** What could be taken out of it now; all when left out. */
  readonly liquid?: bigint
  readonly apyPct?: Decimal
}

export class VaultScript extends Context.Service<
  VaultScript,
  {
    /** From now on the token at this address is such a vault; its shares are what holders have of the token. */
    readonly tell: (
      chainId: string,
      address: Address.AddressKey,
      vault: ScriptedVault
    ) => Effect.Effect<void>
  }
>()("bursar/memory/VaultScript") {}

const million = 1_000_000n

const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)

const positionOf = (
  owner: Address.Address,
  address: Address.AddressKey,
  shares: bigint,
  { asset, assetsPerMillion, liquid }: ScriptedVault
): VaultPosition => {
  const assets = (shares * assetsPerMillion) / million
  return {
    owner,
    vault: address,
    asset,
    shares,
    assets,
    withdrawable: least(assets, liquid ?? assets)
  }
}

const over = (state: ScriptedChain.State) => {
  const vaults = new Map<string, ScriptedVault>()
  const keyOf = (chainId: string, address: string) => `${chainId} ${address}`
  const honest = (chainId: string, { address, asset, kind }: VaultReference) => {
    const vault = vaults.get(keyOf(chainId, address))
    return vault?.asset === asset && vault.kind === kind ? vault : undefined
  }
  const balancesOf = (chain: ScriptedChain.Scripted, address: Address.AddressKey) =>
    chain.others.get(address)?.balances ?? new Map<Address.AddressKey, bigint>()
  const there = (chainId: string) => ScriptedChain.present(state, chainId)
  const service: YieldPositions["Service"] = {
    positions: (chainId, owners, asked) =>
      Effect.map(there(chainId), (chain) =>
        owners.flatMap((owner) =>
          asked.flatMap((reference): ReadonlyArray<VaultPosition> => {
            const vault = honest(chainId, reference)
            const balances = balancesOf(chain, reference.address)
            const shares = balances.get(Address.keyOf(chainId, owner)) ?? 0n
            return vault === undefined || shares === 0n
              ? []
              : [positionOf(owner, reference.address, shares, vault)]
          })
        )
      ),
    states: (chainId, asked) =>
      Effect.flatMap(there(chainId), (chain) =>
        Effect.map(DateTime.now, (at) =>
          asked.map((reference) => {
            const vault = honest(chainId, reference)
            if (vault === undefined) return undefined
            const balances = [...balancesOf(chain, reference.address).values()]
            const shares = balances.reduce((sum, each) => sum + each, 0n)
            const totalAssets = (shares * vault.assetsPerMillion) / million
            return { totalAssets, apyPct: vault.apyPct, at }
          })
        )
      ),
    unknown: (chainId, held) =>
      Effect.map(there(chainId), () =>
        held.flatMap(({ balance, owner, token }: HeldToken): ReadonlyArray<VaultPosition> => {
          const vault = vaults.get(keyOf(chainId, token))
          return vault?.kind === "erc4626" ? [positionOf(owner, token, balance, vault)] : []
        })
      )
  }
  const script: VaultScript["Service"] = {
    tell: (chainId, address, vault) =>
      Effect.sync(() => {
        vaults.set(keyOf(chainId, address), vault)
      })
  }
  return { service, script }
}

/** The vaults of scripted chains, and their script; no token is one until it is told. */
export const layer = (state: ScriptedChain.State): Layer.Layer<YieldPositions | VaultScript> =>
  Layer.effectContext(
    Effect.sync(() => {
      const { script, service } = over(state)
      return Context.make(YieldPositions, service).pipe(Context.add(VaultScript, script))
    })
  )
