/** Reads of an account: itself, its keys, and the agents' accounts that its funding wallet has paid for. */

import { Effect, Schema } from "effect"
import { Address, type FundingWallet } from "../chains/address.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import { NotFound } from "../operation/refusal.ts"
import * as Timestamp from "../time/timestamp.ts"
import * as Account from "./account.ts"
import * as AccountSettings from "./account-settings.ts"
import { Accounts, Keys } from "./account-store.ts"
import * as Key from "./key.ts"
import { settingsOf } from "./read-settings.ts"

export const getAccount = Operation.make("get_account", {
  summary: "Reads the account behind the key, with its settings.",
  next: "list_wallets shows its wallets; get_guide explains what it can do.",
  scope: "account:read",
  input: {},
  output: { ...Account.fields, settings: Schema.Struct(AccountSettings.fields) },
  refusals: [NotFound],
  handle: Effect.fnUntraced(function* () {
    const { accountId } = yield* Caller
    const account = yield* (yield* Accounts).find(accountId)
    if (account === undefined)
      return yield* new NotFound({ message: "This account no longer exists." })
    return { ...account, settings: yield* settingsOf(accountId) }
  })
})

export const listApiKeys = Page.list("list_api_keys", {
  summary:
    "Lists the account's API keys, including revoked ones, without the secret keys; optionally of a time.",
  next: "revoke_api_key revokes a key; create_api_key creates one.",
  scope: "keys:manage",
  key: "api_keys",
  fields: Key.fields,
  input: Page.times,
  page: ({ accountId, filter, request }) =>
    Effect.flatMap(Page.during(request, filter), (period) =>
      Keys.use(({ list }) => list(accountId, period))
    ),
  view: Key.view
})

const agentFields = {
  userId: Schema.String,
  agentLabel: Schema.String,
  fundingWallet: Schema.Struct({ chainId: Schema.String, address: Address }),
  isCaller: Schema.Boolean,
  createdAt: Timestamp.Encoded
}

const none: Page.Page<Account.Account> = { rows: [] }

export const listFundingWalletAgents = Page.list("list_funding_wallet_agents", {
  summary: "Lists the agent accounts funded by the same wallet as this one, itself among them.",
  next: "These accounts cannot co-sign for each other, because one wallet signs for all of them.",
  scope: "account:read",
  key: "funding_wallet_agents",
  fields: agentFields,
  page: Effect.fnUntraced(function* ({ accountId, request }) {
    const accounts = yield* Accounts
    const wallet = (yield* accounts.find(accountId))?.fundingWallet ?? null
    return wallet === null ? none : yield* accounts.fundedBy(wallet, request)
  }),
  view: ({ id, name, fundingWallet, createdAt }: Account.Account, { accountId }) => ({
    userId: id,
    agentLabel: name,
    // The store finds them by it.
    fundingWallet: fundingWallet as FundingWallet,
    isCaller: id === accountId,
    createdAt
  })
})
