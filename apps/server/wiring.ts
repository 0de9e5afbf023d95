/**
 * The service put together: one of the two engines under the records, the chains, the webhook sender, the keys,
 * and over them the surfaces and the workers. Requirements are closed here and nowhere else.
 */
import { randomBytes } from "node:crypto"
import { type DateTime, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as Console from "../../adapters/console/routes.ts"
import * as EvmAllowances from "../../adapters/evm/allowances.ts"
import * as EvmChains from "../../adapters/evm/chains.ts"
import * as Cow from "../../adapters/evm/cow/venue.ts"
import type { Connection as ChainConnection } from "../../adapters/evm/node.ts"
import { addressOf, relayerKey } from "../../adapters/evm/relayer-key.ts"
import * as EvmSignatures from "../../adapters/evm/signatures.ts"
import * as EvmSubmitter from "../../adapters/evm/submitter.ts"
import * as UsdcCode from "../../adapters/evm/usdc-code.ts"
import * as EvmYieldPositions from "../../adapters/evm/yield-positions.ts"
import type * as Guards from "../../adapters/http/guards/guards.ts"
import * as Health from "../../adapters/http/health.ts"
import * as Manual from "../../adapters/http/manual/manual.ts"
import type { Audience } from "../../adapters/http/metrics.ts"
import * as NodeServer from "../../adapters/http/node-server.ts"
import * as RecentReads from "../../adapters/http/recent-reads.ts"
import * as Rest from "../../adapters/http/rest.ts"
import { serve } from "../../adapters/http/server.ts"
import * as Seed from "../../adapters/keys/seed.ts"
import * as WalletKeys from "../../adapters/keys/wallet-keys.ts"
import * as Mail from "../../adapters/mail/transport.ts"
import * as Tools from "../../adapters/mcp/server.ts"
import * as NoMail from "../../adapters/memory/mail.ts"
import * as NoPrices from "../../adapters/memory/prices.ts"
import * as RateLimits from "../../adapters/memory/rate-limits.ts"
import * as NoYields from "../../adapters/memory/yield-markets.ts"
import { pages } from "../../adapters/pages/pages.ts"
import * as OpenStreams from "../../adapters/pages/site/open-streams.ts"
import * as Passkeys from "../../adapters/passkeys/passkeys.ts"
import * as Defect from "../../adapters/postgres/defect.ts"
import type { Connection as DatabaseConnection } from "../../adapters/postgres/engine.ts"
import * as Figures from "../../adapters/postgres/figures.ts"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"
import * as Migrate from "../../adapters/postgres/migrate.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as Catalogues from "../../adapters/providers/catalogues.ts"
import * as CoingeckoPrices from "../../adapters/providers/coingecko-prices.ts"
import * as Defillama from "../../adapters/providers/defillama.ts"
import * as Yields from "../../adapters/providers/defillama-yields.ts"
import * as Jupiter from "../../adapters/providers/jupiter.ts"
import * as SharedRateLimits from "../../adapters/redis/rate-limits.ts"
import * as CheckpointSigner from "../../adapters/secrets/checkpoint-signer.ts"
import * as DataKey from "../../adapters/secrets/data-key.ts"
import * as Ids from "../../adapters/secrets/ids.ts"
import type { Keyring } from "../../adapters/secrets/keyring.ts"
import * as Pepper from "../../adapters/secrets/pepper.ts"
import * as Secrets from "../../adapters/secrets/secrets.ts"
import * as WalletRoot from "../../adapters/secrets/wallet-root.ts"
import { addressOf as solanaAddress } from "../../adapters/solana/address.ts"
import * as SolanaCctp from "../../adapters/solana/cctp/end.ts"
import * as SolanaChains from "../../adapters/solana/chains.ts"
import * as SolanaMarkRent from "../../adapters/solana/mark-rent.ts"
import type { Connection as SolanaConnection } from "../../adapters/solana/node.ts"
import * as SolanaPayerTransactions from "../../adapters/solana/payer-transactions.ts"
import { relayerKey as solanaRelayerKey } from "../../adapters/solana/relayer-key.ts"
import * as SolanaSignatures from "../../adapters/solana/signatures.ts"
import * as SolanaSubmitter from "../../adapters/solana/submitter.ts"
import * as SolanaTokenAccounts from "../../adapters/solana/token-accounts.ts"
import * as Pictures from "../../adapters/webhook-sender/pictures.ts"
import * as WebhookSender from "../../adapters/webhook-sender/webhook-sender.ts"
import { besidePages, payByPost } from "../../adapters/x402/pay-route.ts"
import { plansRoutes } from "../../adapters/x402/plans-route.ts"
import * as Outage from "../../core/background/outage.ts"
import { Address } from "../../core/chains/address.ts"
import { domainOf } from "../../core/chains/cctp.ts"
import type { Limits } from "../../core/operation/rate-limit.ts"
import * as Readings from "../../core/portfolio/readings.ts"
import { Chains } from "../../core/ports/chains.ts"
import type { Prices } from "../../core/ports/prices.ts"
import * as SecretsPort from "../../core/ports/secrets.ts"
import { SwapVenues } from "../../core/ports/swap-venue.ts"
import * as VenueHealth from "../../core/routing/venue-health.ts"
import * as Identity from "../../core/submissions/identity.ts"
import * as AgreedPrices from "../../core/tokens/agreed-price.ts"
import * as Settings from "../../core/treasury/settings.ts"
import * as SigningPolicy from "../../core/treasury/signing-policy.ts"
import { work } from "../../core/treasury/workers.ts"
import * as Bridges from "./bridges.ts"
import * as ByChain from "./by-chain.ts"
import * as Held from "./held/wiring.ts"
import * as MarkHorizon from "./mark-horizon.ts"
import { modeKept } from "./mode.ts"
import * as Timeline from "./timeline.ts"

/** The chains of each family. */
export interface Connected {
  readonly chains: ReadonlyArray<ChainConnection>
  readonly solana?: ReadonlyArray<SolanaConnection & Jupiter.Trading> | undefined
}

export interface Treasury<E> extends Connected {
  readonly database: Layer.Layer<DatabaseConnection, E>
  readonly keyring: Keyring
  /** Until when marks on Solana were taken back, as the key store says; never when left out. */
  readonly markHorizon?: DateTime.Utc | undefined
  /** The lines of history in the key store; the records are all on one when left out. */
  readonly lines?: Timeline.Lines | undefined
  readonly settings: Settings.Settings
  readonly webhookSender: WebhookSender.Options
  /** Who is asked on the way from chain to chain; the issuer's public services when left out. */
  readonly bridging?: Bridges.Services | undefined
  /** Where prices are asked for; nowhere when left out, and then only USDC has one. */
  readonly prices?: Defillama.Options | undefined
  /** Both sources of prices, in the place of those that are asked outside. */
  readonly ownPrices?: Layer.Layer<Prices | AgreedPrices.SecondPrices> | undefined
  /** Who is asked for tokens and their ranks; nobody when left out. */
  readonly catalogues?: Catalogues.Options | undefined
  /** Who is asked what lending markets pay; nobody when left out, and then only their chains are. */
  readonly yields?: Yields.Options | undefined
  /** How email is sent; without it, emails fail and their rows say so. */
  readonly mail?: Mail.MailTransport | undefined
  readonly limits: Limits
  /** Where replicas share their rate limits; each process counts alone when left out. */
  readonly redisUrl?: string | undefined
}

/** Under which names the database keeps its wrapped data key, and which pepper its API keys go by. */
export const keyNames = { dataKey: "data_key", pepperMark: "pepper_mark" } as const
const { dataKey: dataKeyName, pepperMark } = keyNames

/** The wrapped data key stands in the database, the same for every process on it. */
const keyStore: DataKey.KeyStore<SqlClient> = {
  keep: (wrapped) => Effect.map(KeyMaterial.keep(dataKeyName, wrapped), ({ sealed }) => sealed),
  replace: (wrapped, by) => KeyMaterial.replace(dataKeyName, wrapped, by)
}

/**
 * Wraps the data key under the keyring's current key-encryption key, while others go on using it.
 * `current` when there was nothing to do.
 */
export const rotate = (keyring: Keyring) =>
  Effect.map(DataKey.open(keyring, keyStore), ({ _tag }) => _tag)

/** Seals and digests under the keys of the keyring, which must be those of the database. */
export const secrets = (keyring: Keyring) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { dataKey } = yield* DataKey.open(keyring, keyStore)
      const { sealed } = yield* KeyMaterial.keep(pepperMark, Pepper.markOf(keyring))
      yield* Pepper.check(keyring, sealed)
      return Secrets.layer({ pepper: keyring.pepper, dataKey })
    })
  )

/** Makes the keyring's pepper the one of the database; `current` when it was so already. */
export const adoptPepper = (keyring: Keyring) =>
  Effect.gen(function* () {
    yield* DataKey.open(keyring, keyStore)
    const mark = Pepper.markOf(keyring)
    const { sealed } = yield* KeyMaterial.keep(pepperMark, mark)
    if (sealed === mark) return "current" as const
    yield* KeyMaterial.replace(pepperMark, sealed, mark)
    return "adopted" as const
  })

const rootPlace = { table: "key_material", row: "wallet_root", account: "treasury" }

/** Keeps this wallet root when the database has none yet, and gives back the text of the one it has. */
const rootKept = Effect.fnUntraced(function* (fresh: string) {
  const seals = yield* SecretsPort.Secrets
  const { sealed } = yield* KeyMaterial.keep("wallet_root", yield* seals.seal(rootPlace, fresh))
  const root = yield* seals.open(rootPlace, sealed)
  const { identityKey } = WalletRoot.read(root)
  const fingerprint = WalletRoot.fingerprintOf(identityKey)
  const kept = yield* KeyMaterial.keep("identity_fingerprint", fingerprint)
  yield* WalletRoot.check(identityKey, kept.sealed)
  return root
})

/** The wallet root for a backup outside of the database, wrapped under the key-encryption key. */
export const exportRoot = (keyring: Keyring) =>
  Effect.map(rootKept(WalletRoot.make()), (root) => WalletRoot.wrap(keyring, root))

/** Puts a wallet root back into a database that has none; `current` when it was there already. */
export const restoreRoot = Effect.fnUntraced(function* (keyring: Keyring, wrapped: string) {
  const root = yield* WalletRoot.unwrap(keyring, wrapped)
  const { identityKey } = WalletRoot.read(root)
  const before = yield* KeyMaterial.find("wallet_root")
  const kept = yield* KeyMaterial.find("identity_fingerprint")
  if (kept !== undefined) yield* WalletRoot.check(identityKey, kept.sealed)
  const standing = WalletRoot.read(yield* rootKept(root))
  yield* WalletRoot.check(identityKey, WalletRoot.fingerprintOf(standing.identityKey))
  return before === undefined ? ("restored" as const) : ("current" as const)
})

const relayerRef = Seed.relayerRef(0, "ed25519")

const onSolana = Effect.map(rootKept(WalletRoot.make()), (root) => {
  const { identityKey, seed } = WalletRoot.read(root)
  const backend = Seed.backend(Redacted.value(seed))
  return { backend, identityKey, relayer: solanaRelayerKey(backend, relayerRef) }
})

/** The relayer that pays and lends on Solana. */
export const solanaRelayer = Effect.flatMap(onSolana, ({ relayer }) => relayer.address)

/** Who relays, by family; null while the database has no keys, which this does not make. */
export const relayerAddresses = Effect.gen(function* () {
  if ((yield* KeyMaterial.find("wallet_root")) === undefined) return null
  const { backend, relayer } = yield* onSolana
  const evm = yield* relayerKey(backend, Seed.relayerRef()).address
  return { evm: Address.make(evm), solana: yield* relayer.address }
})

/** What takes the rent of marks back, with the keys of wallets and of the relayer. */
export const markRent = ({ solana = [] }: Pick<Connected, "solana">) =>
  Layer.unwrap(
    Effect.map(onSolana, ({ backend, identityKey, relayer }) => {
      const keys = { backends: [backend] as const, addressOf: { solana: solanaAddress } }
      return SolanaMarkRent.layer({ relayer, connections: solana }).pipe(
        Layer.provide(WalletKeys.layer(keys)),
        Layer.provide(SigningPolicy.layer.pipe(Layer.provide(venues({ chains: [], solana: [] })))),
        Layer.provide(Identity.layer(identityKey))
      )
    })
  )

/** The keys of wallets, the relayer and the identity, below the wallet root: made once, kept sealed in the database. */
const walletKeys = (
  { chains: connections, solana = [] }: Connected,
  swapVenues: Layer.Layer<SwapVenues>
) =>
  Layer.unwrap(
    Effect.map(rootKept(WalletRoot.make()), (root) => {
      const { identityKey, seed } = WalletRoot.read(root)
      const backend = Seed.backend(Redacted.value(seed))
      const relayer = relayerKey(backend, Seed.relayerRef())
      const ed25519 = solanaRelayerKey(backend, relayerRef)
      const addresses = { evm: addressOf, solana: solanaAddress }
      return Layer.mergeAll(
        EvmSubmitter.layer({ relayer, connections }),
        SolanaSubmitter.layer({ relayer: ed25519, connections: solana }),
        SolanaTokenAccounts.layer({ relayer: ed25519, connections: solana }),
        SolanaPayerTransactions.layer(solana)
      ).pipe(
        Layer.provideMerge(WalletKeys.layer({ backends: [backend], addressOf: addresses })),
        Layer.provide(SigningPolicy.layer.pipe(Layer.provide(swapVenues))),
        Layer.provideMerge(Identity.layer(identityKey))
      )
    })
  )

const auditKeyPlace = { table: "key_material", row: "audit_key", account: "treasury" }

/** The key that audit checkpoints are signed with: made once, kept sealed in the database. */
export const checkpointSigner = Layer.unwrap(
  Effect.gen(function* () {
    const seals = yield* SecretsPort.Secrets
    const fresh = yield* seals.seal(auditKeyPlace, randomBytes(32).toString("base64"))
    const { sealed } = yield* KeyMaterial.keep("audit_key", fresh)
    const seed = Buffer.from(yield* seals.open(auditKeyPlace, sealed), "base64")
    return CheckpointSigner.layer(Redacted.make(new Uint8Array(seed), { label: "audit key" }))
  })
)

const rateLimits = ({ limits, redisUrl }: Pick<Treasury<never>, "limits" | "redisUrl">) => {
  const alone = RateLimits.layer(limits)
  return redisUrl === undefined
    ? alone
    : SharedRateLimits.layer({ url: redisUrl, limits }).pipe(Layer.provide(alone))
}

type PriceParts = Pick<Treasury<never>, "catalogues" | "ownPrices" | "prices" | "settings">

/** The sources of prices; a trade needs two. */
const prices = ({ catalogues, ownPrices, prices: first, settings }: PriceParts) =>
  ownPrices ??
  Layer.merge(
    first === undefined ? NoPrices.none : Defillama.layer(first),
    catalogues?.coingecko === undefined
      ? NoPrices.noSecond
      : CoingeckoPrices.layer(catalogues.coingecko, settings.tokens)
  )

/** Where tokens are swapped. */
const venues = ({ chains, solana = [] }: Connected) =>
  Layer.effect(
    SwapVenues,
    Effect.map(Jupiter.venuesOf(solana), (jupiter) => ({
      venues: [...Cow.venuesOf(chains), ...jupiter]
    }))
  )

/** Every port of the treasury, over a migrated database. */
export const treasury = <E>(parts: Treasury<E>) => {
  const migrated = Migrate.layer.pipe(Layer.provideMerge(parts.database))
  const database = Layer.merge(modeKept(parts.settings.livemode), Timeline.layer(parts.lines)).pipe(
    Layer.provideMerge(migrated)
  )
  const swapVenues = venues(parts)
  const kept = Layer.merge(walletKeys(parts, swapVenues), checkpointSigner).pipe(
    Layer.provideMerge(Layer.merge(Stores.layer, secrets(parts.keyring)))
  )
  const chains = ByChain.chains([
    EvmChains.layer(parts.chains),
    SolanaChains.layer(parts.solana ?? [])
  ])
  return Layer.mergeAll(
    Layer.merge(kept, MarkHorizon.layer(parts.markHorizon)).pipe(Layer.provideMerge(database)),
    chains,
    swapVenues,
    VenueHealth.layer,
    Bridges.layer(
      parts.chains,
      parts.bridging ?? Bridges.publicServices,
      (parts.solana ?? []).flatMap((connection) => {
        const domain = domainOf(connection.chain.id)
        return domain === undefined ? [] : [SolanaCctp.endOf(connection, domain)]
      })
    ),
    SolanaSignatures.layer.pipe(Layer.provide(EvmSignatures.layer(parts.chains))),
    Held.layer(parts),
    AgreedPrices.layer.pipe(Layer.provideMerge(prices(parts)), Layer.provide(chains)),
    Catalogues.layer(parts.catalogues ?? {}).pipe(Layer.provide(rateLimits(parts))),
    parts.yields === undefined ? NoYields.none : Yields.layer(parts.yields),
    EvmYieldPositions.layer(parts.chains),
    EvmAllowances.layer(parts.chains),
    UsdcCode.layer(parts.chains),
    WebhookSender.layer(parts.webhookSender),
    Pictures.layer(parts.webhookSender),
    parts.mail === undefined ? NoMail.none : Mail.layer(parts.mail),
    rateLimits(parts),
    Ids.layer,
    Passkeys.layer,
    Readings.layer,
    Settings.layer(parts.settings, parts.limits)
  )
}

/** Watches, expires, delivers and does tasks for as long as the layer lives. */
export const workers = Layer.effectDiscard(Effect.forkScoped(work()))

export interface Surfaces {
  readonly port: number
  readonly host: string
  readonly corsOrigins: ReadonlyArray<string>
  /** Names, beside the site's own, by which the tools are called. */
  readonly hosts?: ReadonlyArray<string>
  /** How many proxies of ours stand in front and write `X-Forwarded-For`. */
  readonly proxies?: number
  /** To whom `/metrics` is served; to nobody when left out. */
  readonly metrics?: Audience
  /** Against clients that do not read or take every place; as by default when left out. */
  readonly guards?: Guards.Options
}

/** What readiness depends on: the database, whether it can be written to, and each chain's node. */
const checks = Effect.gen(function* () {
  const sql = yield* SqlClient
  const chains = yield* Chains
  return [
    { name: "database", check: Defect.orDie(sql`select 1`) },
    { name: "database_writes", check: Outage.mayWrite },
    ...chains.connected.map(({ chain }) => ({
      name: `chain_${chain.id}`,
      check: chains.tip(chain.id)
    }))
  ]
})

/** REST, tools, pages, reference and health on one port; gives the server, which knows where it listens. */
export const surfaces = ({
  port,
  host,
  corsOrigins,
  hosts = [],
  proxies = 0,
  metrics = "off",
  guards = {}
}: Surfaces) => {
  const routes = Layer.mergeAll(
    Rest.layer(),
    Tools.layer({ origins: corsOrigins, hosts }),
    Manual.layer,
    pages({ proxies }).pipe(Layer.provide(besidePages({ proxies }))),
    payByPost({ proxies }),
    plansRoutes({ proxies }),
    Console.layer({ proxies }),
    Layer.unwrap(
      Effect.gen(function* () {
        const measure = Figures.measure((yield* Chains).connected.map(({ chain }) => chain.id))
        return Health.layer({ checks: yield* checks, metrics: { audience: metrics, measure } })
      })
    )
  )
  const served = serve(routes, { origins: corsOrigins, proxies })
  return OpenStreams.endingFirst.pipe(
    Layer.provideMerge(served),
    Layer.provide(OpenStreams.layer()),
    Layer.provide(RecentReads.layer),
    Layer.provideMerge(NodeServer.layer({ port, host, gracefulShutdownMs: 2_000, guards }))
  )
}
