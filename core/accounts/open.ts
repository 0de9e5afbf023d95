/** Opens an account; the operator's tools and the sandbox do it, no key can. */
import { DateTime, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import { Deployment } from "../operation/deployment.ts"
import { Ids } from "../ports/ids.ts"
import type { Account } from "./account.ts"
import { Accounts } from "./account-store.ts"

export const openAccount = Effect.fnUntraced(function* (
  wanted: Pick<Account, "name" | "kind" | "tier"> &
    Partial<Pick<Account, "fundingWallet" | "contactEmail" | "subscriptionExpiresAt">> & {
      /** Of an account whose records were lost; a new one when left out. */
      readonly id?: string | undefined
    },
  actor: string = system
) {
  const account: Account = {
    fundingWallet: null,
    contactEmail: null,
    subscriptionExpiresAt: null,
    pausedAt: null,
    ...wanted,
    id: wanted.id ?? (yield* (yield* Ids).uuid),
    livemode: (yield* Deployment).livemode,
    createdAt: yield* DateTime.now
  }
  yield* (yield* Accounts).open(account)
  yield* record({
    accountId: account.id,
    actor,
    action: "account.opened",
    subjectType: "account",
    subjectId: account.id,
    facts: { kind: account.kind }
  })
  return account
})
