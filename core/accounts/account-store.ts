/** The store of accounts. */
import { Context, type DateTime, type Effect } from "effect"
import type { FundingWallet } from "../chains/funding-wallet.ts"
import type * as Page from "../operation/page.ts"
import type { Account } from "./account.ts"

export class Accounts extends Context.Service<
  Accounts,
  {
    readonly find: (accountId: string) => Effect.Effect<Account | undefined>
    readonly open: (account: Account) => Effect.Effect<void>
    /** All accounts there are; for the operator alone. */
    readonly list: (request: Page.Request) => Effect.Effect<Page.Page<Account>>
    /** Gives it another tier; an account that is not there is a defect. */
    readonly retier: (accountId: string, tier: Account["tier"]) => Effect.Effect<void>
    /** The account, which nobody else changes until the transaction ends. */
    readonly lock: (accountId: string) => Effect.Effect<Account | undefined>
    /** Gives it a tier until an instant, or for good; an account that is not there is a defect. */
    readonly subscribe: (
      accountId: string,
      tier: Account["tier"],
      expiresAt: DateTime.Utc | null
    ) => Effect.Effect<void>
    /** Gives it the wallet that governs it, once; false when it has one, or is not an agent's. */
    readonly giveFundingWallet: (accountId: string, wallet: FundingWallet) => Effect.Effect<boolean>
    /** Pauses it from an instant on, or resumes it; an account that is not there is a defect. */
    readonly pause: (accountId: string, at: DateTime.Utc | null) => Effect.Effect<void>
    /** The accounts a wallet has paid for, by its address on any chain of its family, newest first. */
    readonly fundedBy: (
      wallet: FundingWallet,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Account>>
  }
>()("bursar/accounts/Accounts") {}
