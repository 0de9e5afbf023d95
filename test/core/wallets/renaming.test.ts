/** What somebody who confirms a new name is told, and tags, of which the value may be empty. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"

const treasury = Layer.unwrap(
  Effect.map(MemoryStore.make, (store) => Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1))
)

it.effect("the summary of a new name says the name, and blanks alone are none", () =>
  Effect.gen(function* () {
    const [, { caller, wallet }] = yield* bothFurnished
    const rename = (nickname: string) =>
      callsOf(caller).propose_rename_account({ accountId: wallet.id, nickname })
    assert.strictEqual((yield* rename("Till 2")).summary, `Rename wallet ${wallet.id} to "Till 2"`)
    const refused = yield* Effect.flip(rename("   "))
    assert.strictEqual(refused.message, "nickname must be a name, not only blanks.")
  }).pipe(Effect.provide(treasury))
)

it.effect("a tag may say all by its key, and is found by its empty value", () =>
  Effect.gen(function* () {
    const [, { caller, vault, wallet }] = yield* bothFurnished
    const call = callsOf(caller)
    const tag = (accountId: string, metadata: Readonly<Record<string, string>>) =>
      call.set_wallet_metadata({ accountId, metadata })
    const done = yield* tag(wallet.id, { archived: "" })
    assert.isTrue(done.acknowledged)
    assert.deepStrictEqual(done.wallet.metadata, { archived: "" })
    yield* tag(vault.id, { archived: "2029" })
    const found = yield* call.list_wallets({ metadataKey: "archived", metadataValue: "" })
    assert.deepStrictEqual(
      found.wallets.map(({ id }) => id),
      [wallet.id]
    )
  }).pipe(Effect.provide(treasury))
)
