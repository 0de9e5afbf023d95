/** What the measured treasury holds: accounts, each with a key that may do all and twenty customers' vaults. */
import { Effect } from "effect"
import { openAccount } from "../../core/accounts/open.ts"
import { system } from "../../core/audit/record.ts"
import { issue } from "../../core/keys/create-key.ts"
import { Scope } from "../../core/operation/caller.ts"
import { createWallet } from "../../core/wallets/create.ts"

/** What a caller of a measured server has to know. */
export interface Facts {
  readonly origin: string
  readonly apiKey: string
  readonly vaultId: string
}

/** The keys of accounts, where more than one is measured. */
export interface Keyed extends Facts {
  readonly apiKeys: ReadonlyArray<string>
}

/** One page of `list_wallets` as long as it usually is. */
const vaults = 20

const kind = "developer"

export const seedAccounts = Effect.gen(function* () {
  const { id: accountId } = yield* openAccount({ name: "Corner Shop", kind, tier: "startup" })
  const granted = { accountId, kind, scopes: Scope.literals, label: null, expiresAt: null } as const
  const { text: apiKey } = yield* issue(granted)
  let vaultId = ""
  for (let number = 1; number <= vaults; number++) {
    const wanted = {
      accountId,
      name: `Customer ${number}`,
      chainId: "local",
      isDefault: false,
      metadata: { tier: "gold", branch: String(number) },
      kind: "collection" as const,
      customer: { externalId: `customer_${number}`, namespace: "default" }
    }
    vaultId = (yield* createWallet(wanted, system))?.id ?? vaultId
  }
  return { apiKey, vaultId }
})

/** So many accounts; the first one's key and vault stand for it where one is enough. */
export const seedMany = (count: number) =>
  Effect.map(
    Effect.forEach(Array.from({ length: count }), () => seedAccounts),
    (all): Omit<Keyed, "origin"> => ({
      apiKey: all[0]?.apiKey ?? "",
      vaultId: all[0]?.vaultId ?? "",
      apiKeys: all.map(({ apiKey }) => apiKey)
    })
  )
