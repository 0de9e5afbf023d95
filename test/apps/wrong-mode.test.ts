/** A database belongs to the sandbox or to real money, from its first start on. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer, Redacted } from "effect"
import { treasury } from "../../apps/server/wiring.ts"
import { defaults as rateLimits } from "../../core/operation/rate-limit.ts"
import * as Settings from "../../core/treasury/settings.ts"
import * as FreshDatabase from "../support/fresh-database.ts"

const keyring = {
  keyEncryptionKey: Redacted.make(new Uint8Array(32).fill(1)),
  pepper: Redacted.make(new Uint8Array(32).fill(2))
}

const opened = (url: string, livemode: boolean) =>
  Layer.build(
    treasury({
      database: FreshDatabase.engineAt(url),
      chains: [],
      keyring,
      webhookSender: { mode: "public" },
      limits: rateLimits,
      settings: { ...Settings.defaults, siteUrl: "http://localhost:4000", livemode }
    })
  ).pipe(Effect.scoped, Effect.exit)

it.live("a database of the sandbox is never served as real, nor the other way round", () =>
  Effect.gen(function* () {
    for (const first of [true, false]) {
      const url = yield* FreshDatabase.url()
      assert.isTrue(Exit.isSuccess(yield* opened(url, first)))
      assert.isTrue(Exit.isSuccess(yield* opened(url, first)))
      const refused = yield* Effect.flip(yield* opened(url, !first))
      assert.strictEqual((refused as { readonly _tag: string })._tag, "WrongMode")
    }
  })
)
