/** The book of accounts in memory. */
import { Effect, Layer } from "effect"
import type { Account } from "../../core/accounts/account.ts"
import { Accounts } from "../../core/ports/accounts.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<Account>()({ name: "accounts", key: (account) => account.id })

export const layer: Layer.Layer<Accounts, never, MemoryStore> = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const accounts = store.table(definition)
    return {
      find: (accountId) => store.read(() => accounts.get(accountId)),
      open: (account) => store.write((journal) => accounts.insert(journal, account))
    }
  })
)
