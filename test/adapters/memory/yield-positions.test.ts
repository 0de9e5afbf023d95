/** The scripted vaults keep the contract of yield positions. */
import { Effect, Layer } from "effect"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as YieldPositions from "../../../adapters/memory/yield-positions.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import type { AddressKey } from "../../../core/chains/address.ts"
import * as Contract from "../../contracts/yield-positions.contract.ts"
import * as Value from "../../support/chain-values.ts"

const usdc = Value.key(`0x${"05".repeat(20)}`)
const million = 1_000_000n

const world = Layer.suspend(() => {
  const state = Wiring.scriptedChain()
  const vaults = YieldPositions.layer(state)
  const chains = MemoryChains.layer(state)
  const made = Effect.gen(function* () {
    const { airdrop, outage } = yield* MemoryChains.ChainScript
    const { tell } = yield* YieldPositions.VaultScript
    const amounts = new Map<AddressKey, { shares: bigint; assets: bigint }>()
    const of = (vault: AddressKey) => amounts.get(vault) ?? { shares: 0n, assets: 0n }
    const change = (vault: AddressKey, shares: bigint, assets: bigint) => {
      const next = { shares: of(vault).shares + shares, assets: of(vault).assets + assets }
      amounts.set(vault, next)
      const assetsPerMillion = next.shares === 0n ? million : (next.assets * million) / next.shares
      return tell("local", vault, { kind: "erc4626", asset: usdc, assetsPerMillion })
    }
    const named = { name: "Vault", symbol: "vUSDC", decimals: 6 }
    const [vault, otherVault] = [
      Value.key(`0x${"1a".repeat(20)}`),
      Value.key(`0x${"2a".repeat(20)}`)
    ]
    for (const each of [vault, otherVault]) yield* change(each, 0n, 0n)
    return {
      chainId: "local",
      usdc,
      vault,
      otherVault,
      deposit: Effect.fnUntraced(function* (into: AddressKey, to: string, amount: bigint) {
        const { assets, shares } = of(into)
        const bought = shares === 0n ? amount : (amount * shares) / assets
        yield* airdrop({ ...named, to, amount: bought, tokenAddress: into })
        yield* change(into, bought, amount)
      }),
      earn: (into: AddressKey, amount: bigint) => change(into, 0n, amount),
      outage
    }
  })
  return Layer.effect(Contract.VaultWorld, made).pipe(
    Layer.provideMerge(Layer.merge(vaults, chains))
  )
})

Contract.suite("memory", world)
