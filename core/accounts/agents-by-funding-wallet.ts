/** Agents' accounts that one wallet has paid for: whoever holds that wallet governs all of them. */
import { Effect, Schema } from "effect"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import * as Page from "../operation/page.ts"
import * as Instant from "../time/timestamp.ts"
import { Accounts } from "./account-store.ts"

const fields = {
  userId: Schema.String,
  agentLabel: Schema.String,
  fundingWallet: Schema.Struct({ chainId: Schema.String, address: Schema.String }),
  isCaller: Schema.Boolean,
  createdAt: Instant.Shown
}

const none: Page.Page<never> = { rows: [] }

export const listFundingWalletAgents = Operation.make("list_funding_wallet_agents", {
  summary: "Lists the agent accounts funded by the same wallet as this one, itself among them.",
  next: "They cannot co-sign for each other, because one wallet signs for all of them.",
  scope: "account:read",
  input: Page.input,
  output: { funding_wallet_agents: Schema.Array(Schema.Struct(fields)), ...Page.output },
  handle: Effect.fnUntraced(function* (input) {
    const { accountId } = yield* Caller
    const accounts = yield* Accounts
    const request = yield* Page.request(input)
    const wallet = (yield* accounts.find(accountId))?.fundingWallet ?? null
    const page = wallet === null ? none : yield* accounts.fundedBy(wallet.address, request)
    return {
      funding_wallet_agents: page.rows.flatMap(({ id, name, fundingWallet, createdAt }) =>
        fundingWallet === null
          ? []
          : [{ userId: id, agentLabel: name, fundingWallet, isCaller: id === accountId, createdAt }]
      ),
      ...Page.answer(page)
    }
  })
})
