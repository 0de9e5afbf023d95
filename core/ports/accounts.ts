/** The book of accounts. */
import { Context, type Effect } from "effect"
import type { Account } from "../accounts/account.ts"

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly find: (accountId: string) => Effect.Effect<Account | undefined>
    readonly open: (account: Account) => Effect.Effect<void>
  }
>()("bursar/ports/Accounts") {}
