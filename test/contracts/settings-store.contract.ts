/** What every store of accounts' settings must do: keep one row an account, the last that was written. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type AccountSettings, defaultsOf } from "../../core/accounts/account-settings.ts"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { SettingsStore } from "../../core/accounts/settings-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (name: string, stores: Layer.Layer<SettingsStore | Accounts | Atomically>) =>
  layer(stores)(`${name}: account settings`, (it) => {
    it.effect("what was saved last is what is read, of each account alone", () =>
      Effect.gen(function* () {
        const settings = yield* SettingsStore
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        assert.isUndefined(yield* settings.find(mine.id))
        const all: AccountSettings = {
          ...defaultsOf(mine.id),
          merchantName: "Ada's ✓",
          logoUrl: `data:image/png;base64,${"A".repeat(30_000)}`,
          brandColor: "#1d4ed8",
          secondPersonSigns: false,
          emailNotices: ["send_failed"],
          emailDelivery: "daily"
        }
        yield* settings.save(all)
        assert.deepStrictEqual(yield* settings.find(mine.id), all)
        yield* settings.save(defaultsOf(mine.id))
        assert.deepStrictEqual(yield* settings.find(mine.id), defaultsOf(mine.id))
        assert.isUndefined(yield* settings.find(other.id))
      })
    )

    it.effect("a save is undone with its transaction", () =>
      Effect.gen(function* () {
        const settings = yield* SettingsStore
        const { run } = yield* Atomically
        const { id } = yield* Stored.account()
        const saving = settings.save({ ...defaultsOf(id), merchantName: "Gone" })
        yield* Effect.exit(run(Effect.andThen(saving, Effect.fail("rolled back"))))
        assert.isUndefined(yield* settings.find(id))
      })
    )
  })
