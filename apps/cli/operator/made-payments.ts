/** The payments of wallets as the connected chains tell them. */
import { DateTime, Effect } from "effect"
import { type AddressKey, familyOf, keyOf } from "../../../core/chains/address.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import type { Reach } from "../../../core/submissions/submitter.ts"
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
  evm: (chainId: string, wallets: ReadonlyArray<AddressKey>, reach: Reach) =>
    EvmRelay.use((relay) => relay.madeBy(chainId, wallets, reach)),
  solana: (chainId: string, wallets: ReadonlyArray<AddressKey>, reach: Reach) =>
    SolanaRelay.use((relay) => relay.madeBy(chainId, wallets, reach))
}

/** No wallet has paid before it was opened, so a node must know all since the first was. */
const batchOf = Effect.fnUntraced(function* (chainId: string, wallets: ReadonlyArray<Recorded>) {
  const keys = wallets.map(({ address }) => keyOf(chainId, address))
  const now = yield* DateTime.now
  const keptSince = wallets.map(({ createdAt }) => createdAt).reduce(DateTime.min, now)
  return yield* madeOn[familyOf(chainId).family](chainId, keys, { keptSince })
})

/** As many wallets as a node takes in one question. */
const walletsAtOnce = 50

export const madeBy = (configuration: Configuration, environment: Environment) => {
  const reading = relays(connections(configuration, environment))
  return (chainId: string, wallets: ReadonlyArray<Recorded>) => {
    const groups = Array.from({ length: Math.ceil(wallets.length / walletsAtOnce) }, (_, at) =>
      wallets.slice(at * walletsAtOnce, (at + 1) * walletsAtOnce)
    )
    return Effect.forEach(groups, (group) => batchOf(chainId, group)).pipe(
      Effect.map((all) => all.flat()),
      Effect.provide(reading)
    )
  }
}
