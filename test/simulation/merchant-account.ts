/** The accounts of a simulated world, and who asks for them: a key that may do everything. */
import { Effect } from "effect"
import { openAccount } from "../../core/accounts/open.ts"
import { type Facts, type KeyKind, Scope } from "../../core/operation/caller.ts"
import { Atomically } from "../../core/ports/atomically.ts"

export interface MerchantAccount {
  readonly accountId: string
  readonly caller: Facts
}

const open = (kind: KeyKind, name: string): Effect.Effect<MerchantAccount, never, Opening> =>
  Effect.map(openAccount({ name, kind, tier: "startup" }), ({ id }) => ({
    accountId: id,
    caller: { accountId: id, keyId: `key of ${name}`, kind, scopes: new Set(Scope.literals) }
  }))

type Opening = Effect.Services<ReturnType<typeof openAccount>>

/** Two accounts, in one transaction. */
export const opened = Effect.flatMap(Atomically, (atomically) =>
  atomically.run(Effect.all([open("developer", "Northwind"), open("agent", "Purchasing")]))
)
