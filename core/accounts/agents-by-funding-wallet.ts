/** Agents' accounts that one wallet has paid for: whoever holds that wallet governs all of them. */
import { Effect, Schema } from "effect"
import type { FundingWallet } from "../chains/address.ts"
import * as Page from "../operation/page.ts"
import * as Instant from "../time/timestamp.ts"
import type { Account } from "./account.ts"
import { Accounts } from "./account-store.ts"

const fields = {
  userId: Schema.String,
  agentLabel: Schema.String,
  fundingWallet: Schema.Struct({ chainId: Schema.String, address: Schema.String }),
  isCaller: Schema.Boolean,
  createdAt: Instant.Shown
}

const none: Page.Page<Account> = { rows: [] }

export const listFundingWalletAgents = Page.list("list_funding_wallet_agents", {
  summary: "Lists the agent accounts funded by the same wallet as this one, itself among them.",
  next: "These accounts cannot co-sign for each other, because one wallet signs for all of them.",
  scope: "account:read",
  key: "funding_wallet_agents",
  fields,
  page: Effect.fnUntraced(function* ({ accountId, request }) {
    const accounts = yield* Accounts
    const wallet = (yield* accounts.find(accountId))?.fundingWallet ?? null
    return wallet === null ? none : yield* accounts.fundedBy(wallet, request)
  }),
  view: ({ id, name, fundingWallet, createdAt }: Account, { accountId }) => ({
    userId: id,
    agentLabel: name,
    // The store finds them by it.
    fundingWallet: fundingWallet as FundingWallet,
    isCaller: id === accountId,
    createdAt
  })
})
