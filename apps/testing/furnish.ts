/** What every test treasury starts with: two accounts, each with a key, a wallet and a customer's vault. */
import { Effect } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { issue } from "../../core/accounts/create-key.ts"
import { openAccount } from "../../core/accounts/open.ts"
import { system } from "../../core/audit/record.ts"
import { type KeyKind, Scope } from "../../core/caller.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { createWallet } from "../../core/wallets/create.ts"

const chainId = "local"

const furnish = Effect.fnUntraced(function* (kind: KeyKind, name: string) {
  const account = yield* openAccount({ name, kind, tier: "startup" })
  const { text } = yield* issue({
    accountId: account.id,
    kind,
    scopes: Scope.literals,
    label: null,
    expiresAt: null
  })
  const common = { accountId: account.id, chainId, metadata: {} }
  yield* createWallet(
    { ...common, name: "Main", isDefault: true, kind: "standard", customer: null },
    system
  )
  const vault = yield* createWallet(
    {
      ...common,
      name: "First customer",
      isDefault: false,
      kind: "collection",
      customer: { externalId: "first_customer", namespace: "default" }
    },
    system
  )
  if (vault === undefined) return yield* Effect.die(new Error("The first vault exists already."))
  return {
    accountId: account.id,
    apiKey: text,
    vault: { id: vault.id, address: vault.address },
    caller: yield* authenticate(text)
  }
})

export type Furnished = Effect.Success<ReturnType<typeof furnish>>

/** Both accounts, in one transaction. */
export const furnished = Effect.flatMap(Atomically, (atomically) =>
  atomically.run(
    Effect.all([furnish("developer", "Northwind Supply"), furnish("agent", "Purchasing agent")])
  )
)
