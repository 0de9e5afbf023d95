/**
 * The horizon of marks in its two places, the key store and the records. Records whose own is missing or earlier were
 * restored from before marks were taken back, and sign nothing on Solana until they were held against the chains.
 */
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"
import { MarkHorizon } from "../../core/solana/horizon.ts"
import * as Timestamp from "../../core/time/timestamp.ts"

const name = "solana_mark_horizon"

/** As the records have it; undefined where they know of no mark that was taken back. */
export const recorded = Effect.map(KeyMaterial.find(name), (found) =>
  found === undefined ? undefined : DateTime.makeUnsafe(found.sealed)
)

/** Moves it on in the records; an earlier time changes nothing. */
export const record = Effect.fnUntraced(function* (to: DateTime.Utc) {
  const text = Timestamp.format(to)
  let { sealed } = yield* KeyMaterial.keep(name, text)
  while (DateTime.isLessThan(DateTime.makeUnsafe(sealed), to)) {
    yield* KeyMaterial.replace(name, sealed, text)
    sealed = (yield* KeyMaterial.keep(name, text)).sealed
  }
})

/** Whether records stand behind the key store. */
export const isBehind = (kept: DateTime.Utc | undefined) =>
  kept === undefined
    ? Effect.succeed(false)
    : Effect.map(recorded, (own) => own === undefined || DateTime.isLessThan(own, kept))

/** The records are asked each time, since another process may have held them against the chains meanwhile. */
export const layer = (kept: DateTime.Utc | undefined) =>
  Layer.effect(
    MarkHorizon,
    Effect.map(SqlClient, (sql) => ({
      isBehind: Effect.provideService(isBehind(kept), SqlClient, sql)
    }))
  )
