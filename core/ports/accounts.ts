/** The book of accounts. */
import { Context, type DateTime, type Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import type * as Page from "../page.ts"

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly find: (accountId: string) => Effect.Effect<Account | undefined>
    readonly open: (account: Account) => Effect.Effect<void>
    /** All accounts there are; for the operator alone. */
    readonly list: (request: Page.Request) => Effect.Effect<Page.Page<Account>>
    /** Gives it another tier; an account that is not there is a defect. */
    readonly retier: (accountId: string, tier: Account["tier"]) => Effect.Effect<void>
    /** Pauses it from an instant on, or resumes it; an account that is not there is a defect. */
    readonly pause: (accountId: string, at: DateTime.Utc | null) => Effect.Effect<void>
    /** The accounts a wallet has paid for, by its address in whatever case, newest first. */
    readonly fundedBy: (address: string, request: Page.Request) => Effect.Effect<Page.Page<Account>>
  }
>()("bursar/ports/Accounts") {}
