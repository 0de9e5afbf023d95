/**
 * The ports of a treasury inside the measuring process: over memory stores, or wired on PostgreSQL. They run as they do in
 * the service where nobody collects its spans.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Effect, Layer, Redacted } from "effect"
import type { Connection as ChainConnection } from "../adapters/evm/node.ts"
import * as Tenure from "../adapters/http/tenure.ts"
import * as RateLimits from "../adapters/memory/rate-limits.ts"
import { MemoryStore } from "../adapters/memory/store.ts"
import * as Embedded from "../adapters/postgres/embedded.ts"
import type { Connection } from "../adapters/postgres/engine.ts"
import * as Server from "../adapters/postgres/server.ts"
import * as Ids from "../adapters/secrets/ids.ts"
import * as Secrets from "../adapters/secrets/secrets.ts"
import type { Connection as SolanaConnection } from "../adapters/solana/node.ts"
import * as WebhookSender from "../adapters/webhook-sender/webhook-sender.ts"
import { treasury } from "../apps/server/wiring.ts"
import * as Wiring from "../apps/testing/wiring.ts"
import * as Spans from "../core/operation/spans.ts"
import * as Settings from "../core/treasury/settings.ts"

const plenty = 1e9
export const limits = {
  reads: plenty,
  writes: plenty,
  quotes: plenty,
  confirms: plenty,
  failures: plenty,
  anonymous: plenty
}

/** Always the same: a database may be opened again. */
const keyring = {
  keyEncryptionKey: Redacted.make(new Uint8Array(32).fill(3)),
  pepper: Redacted.make(new Uint8Array(32).fill(5))
}

/** A new store each time it is built; beside the records, everything is what the service uses. */
export const inMemory = Layer.unwrap(
  Effect.map(MemoryStore.make, (store) =>
    Layer.mergeAll(
      Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1),
      WebhookSender.layer({ mode: "local" }),
      Ids.layer,
      Secrets.layer({ pepper: keyring.pepper, dataKey: keyring.keyEncryptionKey }),
      RateLimits.layer(limits),
      Spans.off
    )
  )
)

export interface Options {
  readonly siteUrl?: string
  readonly webhookSender?: WebhookSender.Options
  readonly chains?: ReadonlyArray<ChainConnection>
  readonly solana?: ReadonlyArray<SolanaConnection>
  /** Of which one listens; ten as by default. */
  readonly connections?: number
}

/** The service has V8 keep its heap so from when it listens, which not every process of the bench does. */
const likeAServer = Layer.effectDiscard(
  Effect.sync(() => {
    Tenure.makeNothingOld()
    Tenure.letHeapGrow()
  })
)

const on = <E>(database: Layer.Layer<Connection, E>, options: Options) =>
  Layer.mergeAll(
    likeAServer,
    treasury({
      database,
      chains: options.chains ?? [],
      solana: options.solana,
      keyring,
      webhookSender: options.webhookSender ?? { mode: "local" },
      limits,
      settings: {
        ...Settings.defaults,
        siteUrl: options.siteUrl ?? "http://127.0.0.1",
        livemode: false
      }
    }),
    Spans.off
  )

export const onPostgres = (url: string, options: Options = {}) =>
  on(Server.layer({ url: Redacted.make(url), maxConnections: options.connections ?? 10 }), options)

/** The engine inside the process, with its one session, forgotten at the end. */
export const onEmbedded = (options: Options = {}) => on(Embedded.memory, options)
