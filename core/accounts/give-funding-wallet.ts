/**
 * Gives an agent's account the wallet that governs it, where none was named when it was opened. It is given
 * once and never changed: whoever could change it could take the account over.
 */
import { Effect } from "effect"
import { operator, record } from "../audit/record.ts"
import type { FundingWallet } from "../chains/funding-wallet.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import { noSuchAccount } from "./account.ts"
import { Accounts } from "./account-store.ts"

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
