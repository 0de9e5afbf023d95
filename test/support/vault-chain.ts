/** Yield vaults on anvil: ours, deployed and earning, in the words of the contract of yield positions. */
import { Effect, Layer } from "effect"
import * as YieldVault from "../../apps/sandbox/yield-vault.ts"
import type { AddressKey } from "../../core/chains/address.ts"
import { VaultWorld } from "../contracts/yield-positions.contract.ts"
import { AnvilChain } from "./anvil.ts"
import * as Value from "./chain-values.ts"

/** A second: what is earned is worth of the shares at once. */
const atOnce = 1

export const onAnvil = Layer.effect(
  VaultWorld,
  Effect.gen(function* () {
    const chain = yield* AnvilChain
    const { anvil, payer, usdc } = chain
    const vault = Value.key(yield* YieldVault.deploy(anvil, payer, usdc))
    const otherVault = Value.key(yield* YieldVault.deploy(anvil, payer, usdc, "Another Vault"))
    return {
      chainId: "local",
      usdc: Value.key(usdc),
      vault,
      otherVault,
      deposit: (into: AddressKey, to: string, amountMicro: bigint) =>
        YieldVault.deposit(anvil, { usdc, vault: into }, payer, to, amountMicro),
      earn: (into: AddressKey, amountMicro: bigint) =>
        YieldVault.earn(anvil, { usdc, vault: into }, payer, amountMicro, atOnce).pipe(
          Effect.andThen(chain.timePasses(2))
        ),
      outage: chain.outage
    }
  })
)
