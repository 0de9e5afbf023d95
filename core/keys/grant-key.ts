/**
 * Makes an API key for any account from outside of it. Whoever may touch the database may do this, no key
 * can; it is how an account gets its first key.
 */
import { type DateTime, Effect } from "effect"
import { noSuchAccount } from "../accounts/account.ts"
import { Accounts } from "../accounts/account-store.ts"
import { operator, record } from "../audit/record.ts"
import type { Scope } from "../operation/caller.ts"
import { attenuate, type Wanted } from "./attenuate.ts"
import { checkExpiry, issue } from "./create-key.ts"

export interface Granted {
  readonly accountId: string
  readonly scopes: ReadonlyArray<Scope>
  readonly label: string | null
  readonly expiresAt: DateTime.Utc | undefined
  readonly caveats?: Wanted
}

/** The key with its text, which nobody sees again. Call it inside a transaction. */
export const grantKey = Effect.fnUntraced(function* ({
  accountId,
  caveats = {},
  ...wanted
}: Granted) {
  const account = yield* (yield* Accounts).find(accountId)
  if (account === undefined) return yield* noSuchAccount()
  const expiresAt = yield* checkExpiry(wanted.expiresAt)
  const bounds = yield* attenuate(accountId, undefined, caveats)
  const issued = yield* issue({ ...wanted, ...bounds, accountId, kind: account.kind, expiresAt })
  yield* record({
    accountId,
    actor: operator,
    action: "api_key.created",
    subjectType: "api_key",
    subjectId: issued.key.id,
    facts: { lastFour: issued.key.lastFour, scopes: issued.key.scopes.join(" ") }
  })
  return issued
})
