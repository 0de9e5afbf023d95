/** What every book of accounts must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { Accounts } from "../../core/ports/accounts.ts"
import * as Rows from "../support/rows.ts"

export const suite = (name: string, books: Layer.Layer<Accounts>) =>
  layer(books)(`${name}: accounts`, (it) => {
    it.effect("an opened account is read back as it was", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = Rows.anAccount({ kind: "agent", tier: "personal", livemode: true })
        yield* accounts.open(account)
        assert.deepStrictEqual(yield* accounts.find(account.id), account)
      })
    )

    it.effect("an account nobody opened is not found", () =>
      Effect.gen(function* () {
        assert.isUndefined(yield* (yield* Accounts).find(Rows.anId()))
      })
    )

    it.effect("an account is opened once", () =>
      Effect.gen(function* () {
        const accounts = yield* Accounts
        const account = Rows.anAccount()
        yield* accounts.open(account)
        const again = yield* Effect.exit(accounts.open({ ...account, name: "Another" }))
        assert.isTrue(Exit.isFailure(again))
        assert.deepStrictEqual(yield* accounts.find(account.id), account)
      })
    )
  })
