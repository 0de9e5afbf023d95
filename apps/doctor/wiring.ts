/**
 * What is looked at: the chains of a configuration, each node by itself, asked as the service asks them, and its database
 * as it stands, of which nothing is migrated and for which no key is made or wrapped anew.
 */
import { Effect, Layer } from "effect"
import * as EvmChains from "../../adapters/evm/chains.ts"
import * as EvmHoldings from "../../adapters/evm/holdings.ts"
import * as EvmProxiedCode from "../../adapters/evm/proxied-code.ts"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"
import * as Migrate from "../../adapters/postgres/migrate.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as DataKey from "../../adapters/secrets/data-key.ts"
import * as Keyring from "../../adapters/secrets/keyring.ts"
import * as Pepper from "../../adapters/secrets/pepper.ts"
import * as Secrets from "../../adapters/secrets/secrets.ts"
import * as SolanaChains from "../../adapters/solana/chains.ts"
import * as SolanaHoldings from "../../adapters/solana/holdings.ts"
import * as ByChain from "../server/by-chain.ts"
import { type Connected, keyNames } from "../server/wiring.ts"

/** A node that the service would ask, and the chain it should be of. */
export interface Node {
  readonly chainId: string
  readonly name: string
  /** `1` for the first node of its chain. */
  readonly n: number
  readonly chains: ReturnType<typeof EvmChains.layer>
  readonly holdings: ReturnType<typeof EvmHoldings.layer>
  /** What stands behind the chain's tokens, where that may be another contract. */
  readonly proxied?: ReturnType<typeof EvmProxiedCode.layer>
}

/** What addresses hold on the connected chains. */
export const holdings = ({ chains, solana = [] }: Connected) =>
  ByChain.holdings({ evm: EvmHoldings.layer(chains), solana: SolanaHoldings.layer(solana) })

export const nodesOf = ({ chains, solana = [] }: Connected): ReadonlyArray<Node> => [
  ...chains.flatMap(({ secondRpcUrl, ...connection }) =>
    [connection.rpcUrl, ...(secondRpcUrl === undefined ? [] : [secondRpcUrl])].map(
      (rpcUrl, at) => ({
        chainId: connection.chain.id,
        name: connection.chain.name,
        n: at + 1,
        chains: EvmChains.layer([{ ...connection, rpcUrl }]),
        holdings: EvmHoldings.layer([{ ...connection, rpcUrl }]),
        proxied: EvmProxiedCode.layer([{ ...connection, rpcUrl }])
      })
    )
  ),
  ...solana.flatMap((connection) =>
    connection.rpcUrls.map((rpcUrl, at) => ({
      chainId: connection.chain.id,
      name: connection.chain.name,
      n: at + 1,
      chains: SolanaChains.layer([{ ...connection, rpcUrls: [rpcUrl] }]),
      holdings: SolanaHoldings.layer([{ ...connection, rpcUrls: [rpcUrl] }])
    }))
  )
]

/** Which migrations the database lacks. */
export const pending = Migrate.pending

const keysKept = Effect.all({
  dataKey: KeyMaterial.find(keyNames.dataKey),
  pepperMark: KeyMaterial.find(keyNames.pepperMark)
})

/** Whether the database has keys of a keyring yet. */
export const hasKeys = Effect.map(
  keysKept,
  ({ dataKey, pepperMark }) => dataKey !== undefined && pepperMark !== undefined
)

/** The secrets of a database that has keys, by the keyring that its data directory holds. */
export const existingSecrets = (sources: Keyring.Sources) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const keyring = yield* Keyring.existing(sources)
      const { dataKey, pepperMark } = yield* keysKept
      const opened = yield* DataKey.read(keyring, dataKey?.sealed ?? "")
      yield* Pepper.check(keyring, pepperMark?.sealed ?? "")
      return Secrets.layer({ pepper: keyring.pepper, dataKey: opened })
    })
  )

/** The stores of a database that has keys, with those secrets. */
export const records = (sources: Keyring.Sources) =>
  Layer.merge(Stores.layer, existingSecrets(sources))
