/** The treasury that is measured: records on PostgreSQL, and a chain, prices and venues that answer from memory. */
import { DateTime, Effect, Layer, Redacted } from "effect"
import * as RateLimits from "../../adapters/memory/rate-limits.ts"
import { MemoryStore } from "../../adapters/memory/store.ts"
import * as Migrate from "../../adapters/postgres/migrate.ts"
import * as Server from "../../adapters/postgres/server.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as Ids from "../../adapters/secrets/ids.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import * as Readings from "../../core/portfolio/readings.ts"
import { nothing } from "../../core/portfolio/totals.ts"
import { limits } from "../ports.ts"

/** A reading of all wallets goes on behind a call and is not the call's: the last one has just ended. */
const noReadingBehind = Layer.effect(
  Readings.Readings,
  Effect.map(Readings.Readings, (readings) => ({
    ...readings,
    kept: () => {
      const now = DateTime.nowUnsafe()
      return {
        whole: { totals: { ...nothing(now), isComplete: true }, endedAt: now },
        soFar: undefined,
        long: undefined
      }
    }
  }))
).pipe(Layer.provide(Readings.layer))

/** Of two connections one works and one listens, so that what is counted is the work's. */
export const onPostgres = (url: string, maxConnections = 2) =>
  Layer.unwrap(
    Effect.map(MemoryStore.make, (store) =>
      Layer.mergeAll(
        Wiring.layer(
          { store, chain: Wiring.scriptedChain(["local", "local-2", "local-solana"]) },
          1
        ),
        RateLimits.layer(limits),
        Ids.layer,
        noReadingBehind,
        Layer.provideMerge(
          Stores.layer,
          Layer.provideMerge(
            Migrate.layer,
            Server.layer({ url: Redacted.make(url), maxConnections })
          )
        )
      )
    )
  )
