/** What the measured treasury holds: an account with a key that may do all, a vault, and twenty wallets. */
import { Effect } from "effect"
import { furnished } from "../../apps/testing/furnish.ts"
import { system } from "../../core/audit/record.ts"
import { createWallet } from "../../core/wallets/create.ts"

/** What a caller of a measured server has to know. */
export interface Facts {
  readonly origin: string
  readonly apiKey: string
  readonly vaultId: string
}

/** One page of `list_wallets` as long as it usually is. */
const wallets = 20

export const furnish = Effect.gen(function* () {
  const [developer] = yield* furnished
  const { accountId, apiKey, vault } = developer
  for (let number = 3; number <= wallets; number++) {
    const wanted = {
      accountId,
      name: `Customer ${number}`,
      chainId: "local",
      isDefault: false,
      metadata: { tier: "gold", branch: String(number) },
      kind: "collection" as const,
      customer: { externalId: `customer_${number}`, namespace: "default" }
    }
    yield* createWallet(wanted, system)
  }
  return { apiKey, vaultId: vault.id }
})
