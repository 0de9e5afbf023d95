/** Every setting of the service: its variable, its meaning, its default. Read once, at start, whole or not at all. */
import { Redacted } from "effect"
import { type Options as PricesOptions, publicUrl } from "../../adapters/providers/defillama.ts"
import {
  type Options as YieldsOptions,
  publicUrl as yieldsUrl
} from "../../adapters/providers/defillama-yields.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { defaultKeptDays } from "../../core/webhooks/webhook-settings.ts"
import * as Bounds from "./bounds.ts"
import * as Bridges from "./bridges.ts"
import * as Catalogues from "./catalogues.ts"
import * as Mail from "./mail.ts"
import * as Plans from "./plans.ts"
import * as Setting from "./setting.ts"
import * as SpendingCaps from "./spending-caps.ts"

const url = /^https?:\/\/[^\s]+[^/\s]$/u
const pricesForm = /^(?:off|https?:\/\/[^\s?#]+[^/\s?#])$/u

export const settings = {
  port: Setting.integer("PORT", "The port to listen on.", 4000, { least: 0, most: 65_535 }),
  host: Setting.text(
    "HOST",
    "The address to listen on; the sandbox listens on loopback only.",
    "127.0.0.1"
  ),
  publicUrl: Setting.optional(
    "PUBLIC_URL",
    "The public URL of the service, without a trailing slash. Default: `http://localhost:<PORT>`.",
    { form: url, expected: "be an http(s) URL without a trailing slash" }
  ),
  databaseUrl: Setting.optional(
    "DATABASE_URL",
    "A PostgreSQL connection URL. Default: the embedded database in the data directory.",
    {
      secret: true,
      form: /^postgres(ql)?:\/\//u,
      expected: "be a postgres:// URL"
    }
  ),
  databaseDirectUrl: Setting.optional(
    "DATABASE_DIRECT_URL",
    "The PostgreSQL server itself, if `DATABASE_URL` is a pooler in transaction mode, such as PgBouncer. Then statements have no names, and notifications are heard on one direct connection.",
    {
      secret: true,
      form: /^postgres(ql)?:\/\//u,
      expected: "be a postgres:// URL"
    }
  ),
  databaseConnections: Setting.integer(
    "DATABASE_CONNECTIONS",
    "Number of PostgreSQL connections of one process.",
    10,
    { least: 2, most: 200 }
  ),
  redisUrl: Setting.optional(
    "REDIS_URL",
    "A Redis in which replicas share their rate limits. Default: each process counts by itself.",
    { secret: true, form: /^rediss?:\/\//u, expected: "be a redis:// or rediss:// URL" }
  ),
  proxies: Setting.integer(
    "BURSAR_PROXIES",
    "Number of your own proxies in front that write `X-Forwarded-For`. Clients are counted by the address that the outermost proxy saw.",
    0,
    { least: 0, most: 10 }
  ),
  connections: Bounds.connections,
  connectionsPerClient: Bounds.connectionsPerClient,
  stalledSeconds: Bounds.stalledSeconds,
  answerSeconds: Bounds.answerSeconds,
  streamSeconds: Bounds.streamSeconds,
  unsentMib: Bounds.unsentMib,
  metricsToken: Setting.optional(
    "BURSAR_METRICS_TOKEN",
    "The bearer token for `/metrics`, 16 characters or more. Without it, `/metrics` is not served.",
    {
      secret: true,
      form: /^[!-~]{16,}$/u,
      expected: "be 16 or more printable characters without spaces"
    }
  ),
  tracesTo: Setting.optional(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "An OpenTelemetry collector (OTLP over HTTP, JSON) that receives spans at `/v1/traces`: one for each operation and each use of a port. Default: no spans.",
    { form: /^https?:\/\//u, expected: "be an http:// or https:// URL" }
  ),
  dataDirectory: Setting.text(
    "BURSAR_DATA_DIR",
    "The directory of the embedded database, the keyring and, in the sandbox, the chain and sandbox.json.",
    ".bursar"
  ),
  timelineDirectory: Setting.optional(
    "BURSAR_TIMELINE_DIR",
    "The directory in which the numbers of the records' lines of history are kept, by which processes on records that were replaced are fenced. Name one on storage that all replicas share. Default: the data directory."
  ),
  keyEncryptionKey: Setting.optional(
    "BURSAR_KEY_ENCRYPTION_KEY",
    "32 random bytes in base64 that encrypt the data key. Default: a 0600 file in the data directory.",
    { secret: true }
  ),
  previousKeyEncryptionKey: Setting.optional(
    "BURSAR_PREVIOUS_KEY_ENCRYPTION_KEY",
    "The previous key-encryption key, during a rotation: at start the data key is re-encrypted. Default: the file `key-encryption-key.previous` in the data directory, if it exists.",
    { secret: true }
  ),
  pepper: Setting.optional(
    "BURSAR_PEPPER",
    "32 random bytes in base64 with which API keys are hashed. Default: a 0600 file in the data directory.",
    { secret: true }
  ),
  markHorizon: Setting.optional(
    "BURSAR_SOLANA_MARK_HORIZON",
    "Until when marks on Solana were taken back, as an ISO 8601 time: what `bursar reclaim-marks` asks you to set where the key-encryption key is a setting too. Default: the file `solana-mark-horizon` in the data directory, if it exists."
  ),
  chains: Setting.list(
    "BURSAR_CHAINS",
    "The ids of the chains to connect to, comma-separated. Each needs `BURSAR_RPC_<CHAIN>` and can have `BURSAR_SECOND_RPC_<CHAIN>`, `BURSAR_CONFIRMATIONS_<CHAIN>`, `BURSAR_FINALITY_<CHAIN>` and `BURSAR_OUTLAY_<CHAIN>`, with dashes written as underscores. A second node of an EVM chain is asked too which block is final before money is given back or sent again; of Solana several nodes can be named, comma-separated: the next one is asked when one fails or is behind, and `BURSAR_PRIORITY_FEE_<CHAIN>` is the most that a send bids for a compute unit there, in millionths of the smallest unit of the coin: 100000 unless it is set. `BURSAR_OUTLAY_<CHAIN>` bounds the network fees the treasury pays in a UTC day, as `personal/startup/installation` in the chain's coin: for one account of each tier, and for all accounts. `BURSAR_ORDER_BOOK_<CHAIN>` names the order book of CoW Protocol that takes the chain's swaps, such as `https://api.cow.fi/base`; without it there are none. `BURSAR_AGGREGATOR_SOLANA` names Jupiter's swap API for swaps on Solana, such as `https://api.jup.ag/swap/v2`, asked with `BURSAR_JUPITER_KEY` if that is set; without it there are none. `BURSAR_BRIDGE_TABLE_<CHAIN>` switches on bridges of USDC to and from a Solana chain: it is the address of a lookup table there with the accounts that CCTP V2 names each time (decision 0114 lists them). That way is proven on local programs of the published interface, and not yet against the issuer's own."
  ),
  tokens: Setting.list(
    "BURSAR_TOKENS",
    "More verified tokens, comma-separated, each `chain:0xcontract:SYMBOL:decimals`, and optionally `:permit` (`none`, `eip2612` or `fiattoken`: how it is approved), `:price-id` (what CoinGecko calls it) and then `:by-zero` (its allowance changes only by way of zero), `:any-symbol` (its contract calls itself otherwise) `:code-0x…` (the Keccak-256 of its contract's code; of a proxy that is the proxy's own) and `:behind-0x…-0x…` (of a proxy, the contract that does its work and the Keccak-256 of that one's code, as `bursar doctor` tells them). They are priced, count in the portfolio and can be traded, unless their contract has other decimals, another symbol or other code, its own or behind it; a token that comes with the treasury is listed as it is, word for word, to hold it to its code or to what is behind it, or to let its symbol go; without a price id a token has one source of prices, so it is never sold."
  ),
  pricesUrl: Setting.optional(
    "BURSAR_PRICES_URL",
    `The source of prices, an API like DefiLlama's coins API; \`${publicUrl}\` by default, \`off\` for no prices except USDC's.`,
    {
      secret: true,
      form: pricesForm,
      expected: "be an http(s) URL without a trailing slash, or off"
    }
  ),
  ...Catalogues.settings,
  ...Bridges.settings,
  yieldVaults: Setting.list(
    "BURSAR_YIELD_VAULTS",
    "More yield vaults that you vouch for, comma-separated, each `chain:kind:0xvault:protocol` or `chain:kind:0xvault:protocol:0xtoken`; the kind is `erc4626` or `aave_v3`, the protocol is named as DefiLlama does, and the token is USDC unless given. What is in them is priced and counts as net worth."
  ),
  yieldsUrl: Setting.optional(
    "BURSAR_YIELDS_URL",
    `The source of yields, an API like DefiLlama's list of pools; \`${yieldsUrl}\` by default, \`off\` for what the vaults' own chains tell.`,
    {
      secret: true,
      form: pricesForm,
      expected: "be an http(s) URL without a trailing slash, or off"
    }
  ),
  corsOrigins: Setting.list(
    "BURSAR_CORS_ORIGINS",
    "Origins whose pages may call the API from a browser; none by default."
  ),
  hosts: Setting.list(
    "BURSAR_HOSTS",
    "Host names, besides that of `PUBLIC_URL`, by which agents or your proxy call the tools at `/api/mcp`. IP addresses, `localhost` and names without a dot are always allowed; all others are rejected."
  ),
  dustUsdc: Setting.text(
    "BURSAR_DUST_USDC",
    "A transfer below this amount that does not complete a payment request never changes one. If it comes too late or repeats a payment, no event tells of it, nor does the payer's page.",
    "0.01",
    /^(0|[1-9]\d*)(\.\d{1,6})?$/u,
    "be a USDC amount such as 0.01"
  ),
  smtpUrl: Mail.smtpUrl,
  smtpTls: Mail.smtpTls,
  mailFrom: Mail.mailFrom,
  tierPersonal: SpendingCaps.tier("personal"),
  tierStartup: SpendingCaps.tier("startup"),
  hardCapMicro: SpendingCaps.hardCap,
  dailyTradeMicro: SpendingCaps.dailyTrade,
  webhooksKeptDays: Setting.integer(
    "BURSAR_WEBHOOKS_KEPT_DAYS",
    "How many days webhook events and their deliveries are kept. Older ones are deleted: they can be neither listed nor replayed. Deliveries that failed for good stay, with their events.",
    defaultKeptDays,
    { least: 7, most: 3650 }
  ),
  planPersonal: Plans.plan("personal"),
  planStartup: Plans.plan("startup"),
  plansPayTo: Plans.payTo,
  idempotencyLeaseMs: Setting.integer(
    "BURSAR_IDEMPOTENCY_LEASE_MS",
    "How long one call may hold an idempotency key before a retry may take it over.",
    60_000,
    { least: 1000, most: 600_000 }
  ),
  readsPerMinute: Setting.integer("BURSAR_READS_PER_MINUTE", "Reads per key and minute.", 600, {
    least: 1,
    most: 1_000_000
  }),
  writesPerMinute: Setting.integer("BURSAR_WRITES_PER_MINUTE", "Writes per key and minute.", 120, {
    least: 1,
    most: 1_000_000
  }),
  quotesPerMinute: Setting.integer("BURSAR_QUOTES_PER_MINUTE", "Quotes per key and minute.", 60, {
    least: 1,
    most: 1_000_000
  }),
  confirmsPerMinute: Setting.integer(
    "BURSAR_CONFIRMS_PER_MINUTE",
    "Confirmations per key and minute.",
    30,
    { least: 1, most: 1_000_000 }
  ),
  failuresPerMinute: Setting.integer(
    "BURSAR_FAILED_KEYS_PER_MINUTE",
    "Invalid API keys per client address (or /64 of IPv6) and minute. Failed sign-ins and rejected x402 payments have the same limit, each counted separately. A valid key is never blocked by them.",
    30,
    { least: 1, most: 1_000_000 }
  ),
  anonymousPerMinute: Setting.integer(
    "BURSAR_ANONYMOUS_PER_MINUTE",
    "Requests without a key per client address (or /64 of IPv6) and minute: payment links, plans for sale, the console and the manual, each counted separately.",
    600,
    { least: 1, most: 1_000_000 }
  )
} as const

export type Configuration = {
  readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]["read"]>
}

/** Reads all settings; throws `SettingRefused` with a sentence for the first that cannot be read. */
export const read = (environment: Setting.Environment): Configuration =>
  Object.fromEntries(
    Object.entries(settings).map(([name, setting]) => [name, setting.read(environment)])
  ) as Configuration

export const dustMicro = (configuration: Configuration): Usdc.Usdc =>
  Usdc.parse(configuration.dustUsdc) ?? Usdc.zero

/** The spending limits of each tier. */
export const tiers = (configuration: Configuration) =>
  SpendingCaps.limitsOf(
    { personal: configuration.tierPersonal, startup: configuration.tierStartup },
    configuration.hardCapMicro
  )

/** The billing plans. */
export const plans = ({ planPersonal, planStartup }: Configuration) =>
  Plans.plansOf({ personal: planPersonal, startup: planStartup })

export const siteUrl = (configuration: Configuration): string =>
  configuration.publicUrl ?? `http://localhost:${configuration.port}`

/** Where prices are asked for; undefined for nowhere. */
export const prices = ({ pricesUrl }: Configuration): PricesOptions | undefined =>
  pricesUrl === "off" ? undefined : { url: pricesUrl ?? publicUrl }

/** Who is asked what lending markets pay; undefined for nobody. */
export const yields = (configuration: Configuration): YieldsOptions | undefined =>
  configuration.yieldsUrl === "off" ? undefined : { url: configuration.yieldsUrl ?? yieldsUrl }

/** Who is asked for tokens and their ranks. */
/** Who is asked on the way from chain to chain. */
export const bridging = (configuration: Configuration) => Bridges.services(configuration)

export const catalogues = (configuration: Configuration) => Catalogues.options(configuration)

/** To whom the operator's figures are told. */
export const metrics = ({ metricsToken }: Configuration) =>
  metricsToken === undefined ? ("off" as const) : Redacted.make(metricsToken)

/** How mail leaves: through the mail server, or into the data directory. */
export const mail = (configuration: Configuration) =>
  Mail.transportOf(configuration, siteUrl(configuration))

/** Where the lines of history are kept: with all processes, or with this machine alone. */
export const lines = ({ dataDirectory, timelineDirectory }: Configuration) => ({
  directory: timelineDirectory ?? dataDirectory,
  isShared: timelineDirectory !== undefined
})

/** The rate limits per minute, as the rate limiter takes them. */
export const limits = (configuration: Configuration) => ({
  reads: configuration.readsPerMinute,
  writes: configuration.writesPerMinute,
  quotes: configuration.quotesPerMinute,
  confirms: configuration.confirmsPerMinute,
  failures: configuration.failuresPerMinute,
  anonymous: configuration.anonymousPerMinute,
  ...Catalogues.limits(configuration)
})
