/**
 * What an operator's command works with: the database the settings name, its stores, and the keyring. It
 * needs neither chains nor a running service, and tells a database of the sandbox from one of real money.
 */
import { randomBytes } from "node:crypto"
import { Effect, Layer, Redacted } from "effect"
import * as EvmChains from "../../../adapters/evm/chains.ts"
import type { RelayerKey as EvmRelayerKey } from "../../../adapters/evm/relayer-key.ts"
import * as EvmSubmitter from "../../../adapters/evm/submitter.ts"
import * as EvmHistory from "../../../adapters/evm/token-history.ts"
import * as Durability from "../../../adapters/postgres/durability.ts"
import * as KeyMaterial from "../../../adapters/postgres/key-material.ts"
import * as Migrate from "../../../adapters/postgres/migrate.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { keyBytes } from "../../../adapters/secrets/envelope.ts"
import * as Ids from "../../../adapters/secrets/ids.ts"
import * as Keyring from "../../../adapters/secrets/keyring.ts"
import * as Secrets from "../../../adapters/secrets/secrets.ts"
import * as SolanaChains from "../../../adapters/solana/chains.ts"
import * as SolanaMarkRent from "../../../adapters/solana/mark-rent.ts"
import * as SolanaSubmitter from "../../../adapters/solana/submitter.ts"
import * as SolanaHistory from "../../../adapters/solana/token-history.ts"
import type { Address } from "../../../core/chains/address.ts"
import { WalletKeys } from "../../../core/submissions/wallet-keys.ts"
import { TokenSettings } from "../../../core/tokens/token.ts"
import * as Settings from "../../../core/treasury/settings.ts"
import { existingSecrets, hasKeys } from "../../doctor/wiring.ts"
import * as ByChain from "../../server/by-chain.ts"
import * as Configuration from "../../server/configuration.ts"
import { databaseOf } from "../../server/database.ts"
import {
  adoptPepper,
  type Connected,
  exportRoot,
  restoreRoot,
  rotate,
  secrets
} from "../../server/wiring.ts"
import type { OwnChains } from "./own-chains.ts"

const live = "live"

const settings = (configuration: Configuration.Configuration, mode: string) =>
  Settings.layer({
    ...Settings.defaults,
    siteUrl: Configuration.siteUrl(configuration),
    livemode: mode === live,
    tiers: Configuration.tiers(configuration),
    plans: Configuration.plans(configuration)
  })

const modeName = "mode"

/** What is said of a database once it has its tables. */
const said = (configuration: Configuration.Configuration) =>
  Layer.unwrap(
    Effect.map(KeyMaterial.keep(modeName, live), ({ sealed }) => settings(configuration, sealed))
  )

/** The same, and nothing is written down where nothing was. */
const saidSoFar = (configuration: Configuration.Configuration) =>
  Layer.unwrap(
    Effect.map(KeyMaterial.find(modeName), (kept) => settings(configuration, kept?.sealed ?? live))
  )

/** The records of the treasury as an operator opens them, migrated. */
export const office = (configuration: Configuration.Configuration) =>
  Layer.unwrap(
    Effect.map(Keyring.load(configuration), (keyring) =>
      Layer.mergeAll(
        Stores.layer,
        Durability.layer,
        Ids.layer,
        secrets(keyring),
        said(configuration)
      ).pipe(Layer.provide(Migrate.layer), Layer.provideMerge(databaseOf(configuration)))
    )
  )

/** Where no key was made yet nothing is sealed: these open nothing, and are kept nowhere. */
const noSecrets = () =>
  Secrets.layer({
    pepper: Redacted.make(randomBytes(keyBytes)),
    dataKey: Redacted.make(randomBytes(keyBytes))
  })

/** The same records for what only reads: nothing is migrated, no key is made and none is wrapped anew. */
export const officeToRead = (configuration: Configuration.Configuration) =>
  Layer.mergeAll(
    Stores.layer,
    Durability.layer,
    Ids.layer,
    Layer.unwrap(
      Effect.map(hasKeys, (has) => (has ? existingSecrets(configuration) : noSecrets()))
    ),
    saidSoFar(configuration)
  ).pipe(Layer.provide(Migrate.asItStands), Layer.provideMerge(databaseOf(configuration)))

/** Applies the migrations that are missing; gives back their names. */
export const migrated = (configuration: Configuration.Configuration) =>
  Migrate.migrate.pipe(Effect.provide(databaseOf(configuration)))

/** Wraps the data key under the current key-encryption key; `current` when it was so already. */
export const rotated = (configuration: Configuration.Configuration) =>
  Effect.flatMap(Keyring.load(configuration), (keyring) =>
    rotate(keyring).pipe(Effect.provide(Migrate.layer), Effect.provide(databaseOf(configuration)))
  )

/** Makes the pepper the settings name the one of the database; `current` when it was so already. */
export const adopted = (configuration: Configuration.Configuration) =>
  Effect.flatMap(Keyring.load(configuration), (keyring) =>
    adoptPepper(keyring).pipe(
      Effect.provide(Migrate.layer),
      Effect.provide(databaseOf(configuration))
    )
  )

/** On the database the settings name, with the secrets of its keyring. */
const withKeyring = <A, E, R>(
  configuration: Configuration.Configuration,
  work: (keyring: Keyring.Keyring) => Effect.Effect<A, E, R>
) =>
  Effect.flatMap(Keyring.load(configuration), (keyring) =>
    work(keyring).pipe(
      Effect.provide(secrets(keyring)),
      Effect.provide(Migrate.layer),
      Effect.provide(databaseOf(configuration))
    )
  )

/** The wallet root, wrapped for a backup. */
export const exportedRoot = (configuration: Configuration.Configuration) =>
  withKeyring(configuration, exportRoot)

/** Puts a backup of a wallet root back; `current` when it was there already. */
export const restoredRoot = (configuration: Configuration.Configuration, wrapped: string) =>
  withKeyring(configuration, (keyring) => restoreRoot(keyring, wrapped))

const nothing = Effect.die(new Error("A command that only reads has no keys."))

const noKeys = Layer.succeed(WalletKeys, {
  open: () => nothing,
  addressOf: () => nothing,
  sign: () => nothing,
  signReclaim: () => nothing
})

/** What reads what wallets have paid on the connected chains; nothing of it can sign. */
export const relays = ({ chains, solana = [] }: Connected, solanaRelayer?: Address) => {
  const relayer = { address: nothing, sign: () => nothing }
  const known =
    solanaRelayer === undefined ? relayer : { ...relayer, address: Effect.succeed(solanaRelayer) }
  return Layer.mergeAll(
    EvmSubmitter.layer({ relayer: relayer as unknown as EvmRelayerKey, connections: chains }),
    SolanaSubmitter.layer({ relayer: known, connections: solana }),
    SolanaMarkRent.layer({ relayer, connections: solana })
  ).pipe(Layer.provide(noKeys))
}

/** What the books are read from: the connected chains and the operator's tokens. */
export const books = ({ connected, listed }: OwnChains) => {
  const { chains, solana = [] } = connected
  return Layer.mergeAll(
    ByChain.chains([EvmChains.layer(chains), SolanaChains.layer(solana)]),
    ByChain.tokenHistory({ evm: EvmHistory.layer(chains), solana: SolanaHistory.layer(solana) }),
    Layer.succeed(TokenSettings, { tokens: listed })
  )
}
