/**
 * Opens an account, and gives an agent's the wallet that governs it where none was named. The operator's tools
 * and the sandbox do it, no key can.
 */
import { DateTime, Effect } from "effect"
import { operator, record, system } from "../audit/record.ts"
import type { FundingWallet } from "../chains/address.ts"
import { Deployment } from "../operation/deployment.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { type Account, noSuchAccount } from "./account.ts"
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
    pausedBy: null,
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

/** The account as it now is. Call it inside a transaction. */
export const giveFundingWallet = Effect.fnUntraced(function* (
  accountId: string,
  wallet: FundingWallet
) {
  const accounts = yield* Accounts
  const account = yield* accounts.find(accountId)
  if (account === undefined) return yield* noSuchAccount()
  if (!(yield* accounts.giveFundingWallet(accountId, wallet))) {
    return yield* new InvalidRequest({
      param: "fundingWallet",
      message:
        account.kind === "agent"
          ? "This account already has a funding wallet, which cannot be changed."
          : "Only an agent's account has a funding wallet; people approve with a passkey."
    })
  }
  yield* record({
    accountId,
    actor: operator,
    action: "account.funding_wallet_given",
    subjectType: "account",
    subjectId: accountId,
    facts: { address: wallet.address, chainId: wallet.chainId }
  })
  return { ...account, fundingWallet: wallet }
})
