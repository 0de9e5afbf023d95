/**
 * The builder of accounts: opened by the treasury's own acts, on whichever stores, each with a key that may do
 * everything and with the calls it makes. Accounts that need only rows are planted by `stored-rows.ts`.
 */
import { Effect } from "effect"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { openAccount } from "../../core/accounts/open.ts"
import { system } from "../../core/audit/record.ts"
import * as Keys from "../../core/keys/create-key.ts"
import { type Facts as CallerFacts, Scope } from "../../core/operation/caller.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import { createWallet, type WalletInput as WantedWallet } from "../../core/wallets/create.ts"

/** A caller and the key it calls with. */
export interface Asker {
  readonly caller: CallerFacts
  readonly apiKey: string
}

/** Another key of an account, not used yet: of every scope and bound by nothing unless said otherwise. */
export const issued = Effect.fnUntraced(function* (
  { accountId, kind }: Pick<CallerFacts, "accountId" | "kind">,
  over: Partial<Keys.KeyInput> = {}
) {
  const wanted = { accountId, kind, scopes: Scope.literals, label: null, expiresAt: null }
  const { key, text } = yield* Keys.issue({ ...wanted, ...over })
  return { key, apiKey: text }
})

/** Another key of an account, and who calls with it. */
export const keyed = Effect.fnUntraced(function* (
  of: Pick<CallerFacts, "accountId" | "kind">,
  over: Partial<Keys.KeyInput> = {}
) {
  const { apiKey, key } = yield* issued(of, over)
  const caller = yield* authenticate(apiKey)
  return { key, apiKey, caller, call: callsOf(caller) }
})

/** A developer's account in the tier startup, unless said otherwise, and who calls with its key. */
export const opened = Effect.fnUntraced(function* (
  over: Partial<Parameters<typeof openAccount>[0]> = {}
) {
  const wanted = { name: "Corner Shop", kind: "developer", tier: "startup" } as const
  const { id: accountId, kind } = yield* openAccount({ ...wanted, ...over })
  return { accountId, ...(yield* keyed({ accountId, kind })) }
})

/** A wallet of an account's own on the scripted chain. */
export const wallet = (accountId: string, over: Partial<WantedWallet> = {}) =>
  createWallet(
    {
      accountId,
      chainId: "local",
      name: "Main",
      isDefault: true,
      metadata: {},
      kind: "standard",
      customer: null,
      ...over
    },
    system
  )

/** A customer's vault on the scripted chain. */
export const vault = (accountId: string, externalId: string, over: Partial<WantedWallet> = {}) =>
  wallet(accountId, {
    name: "Vault",
    isDefault: false,
    kind: "collection",
    customer: { externalId, namespace: "default" },
    ...over
  })
