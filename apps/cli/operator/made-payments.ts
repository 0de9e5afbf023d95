/** The payments of wallets as the connected chains tell them. */
import { Effect } from "effect"
import { type AddressKey, familyOf, keyOf } from "../../../core/chains/address.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import type { Recorded } from "../../../core/wallets/reconcile.ts"
import { connections } from "../../server/chains.ts"
import type { Configuration } from "../../server/configuration.ts"
import type { Environment } from "../../server/setting.ts"
import { relays } from "./wiring.ts"

export const chainIdsOf = (configuration: Configuration, environment: Environment) => {
  const { chains, solana = [] } = connections(configuration, environment)
  return [...chains, ...solana].map(({ chain }) => chain.id)
}

const madeOn = {
  evm: (chainId: string, wallets: ReadonlyArray<AddressKey>) =>
    EvmRelay.use((relay) => relay.madeBy(chainId, wallets)),
  solana: (chainId: string, wallets: ReadonlyArray<AddressKey>) =>
    SolanaRelay.use((relay) => relay.madeBy(chainId, wallets))
}

const batchOf = Effect.fnUntraced(function* (chainId: string, wallets: ReadonlyArray<AddressKey>) {
  return yield* madeOn[familyOf(chainId).family](chainId, wallets)
})

/** As many wallets as a node takes in one question. */
const walletsAtOnce = 50

export const madeBy = (configuration: Configuration, environment: Environment) => {
  const reading = relays(connections(configuration, environment))
  return (chainId: string, wallets: ReadonlyArray<Recorded>) => {
    const keys = wallets.map(({ address }) => keyOf(chainId, address))
    const groups = Array.from({ length: Math.ceil(keys.length / walletsAtOnce) }, (_, at) =>
      keys.slice(at * walletsAtOnce, (at + 1) * walletsAtOnce)
    )
    return Effect.forEach(groups, (group) => batchOf(chainId, group)).pipe(
      Effect.map((all) => all.flat()),
      Effect.provide(reading)
    )
  }
}
