/** Reads of wallets: one by its id, and the list by tag. */

import { Effect, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn, orNoSuch } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Customer from "./customer.ts"
import * as Wallet from "./wallet.ts"
import { Wallets } from "./wallet-store.ts"

export const listWallets = Page.list("list_wallets", {
  summary:
    "Lists the account's wallets and customer vaults, optionally those with one tag, of one kind, customer or time, or that a search finds.",
  next: "A wallet's id is the walletId, fromWalletId or walletMappingId of other operations.",
  scope: "balances:read",
  key: "wallets",
  fields: Wallet.fields,
  input: {
    metadataKey: Schema.optionalKey(Text.TagKey),
    metadataValue: Schema.optionalKey(Text.TagValue),
    kind: Schema.optionalKey(
      Wallet.Kind.annotate({
        description: "`standard` wallets send money; `collection` wallets are customers' vaults."
      })
    ),
    search: Schema.optionalKey(
      Text.Line(64).annotate({
        description: "Part of a name, a nickname, an address, or a customer's id. Case is ignored."
      })
    ),
    ...Customer.filterFields,
    ...Page.times
  },
  page: Effect.fnUntraced(function* ({ accountId, filter, request }) {
    if (filter.metadataValue !== undefined && filter.metadataKey === undefined) {
      return yield* new InvalidRequest({
        param: "metadataValue",
        message: "metadataValue needs metadataKey; send both."
      })
    }
    const { customerExternalId, customerNamespace, since, until, ...wanted } = filter
    const customer = yield* Customer.wantedCustomer({ customerExternalId, customerNamespace })
    return yield* (yield* Wallets).list(
      accountId,
      { ...wanted, customer },
      yield* Page.during(request, { since, until })
    )
  }),
  view: Wallet.view
})

const WalletId = Id("The wallet's id, from list_wallets.")

export const getWallet = Operation.make("get_wallet", {
  summary: "Reads a wallet or customer vault of the account.",
  next: "get_holdings reads what it holds.",
  scope: "balances:read",
  input: { walletId: WalletId },
  output: Wallet.fields,
  refusals: [NotFound],
  example: { input: { walletId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: ({ walletId }) =>
    Effect.map(
      findOwn({ param: "walletId", what: "wallet", operation: "list_wallets" }, (accountId) =>
        Wallets.use(({ find }) => find(accountId, walletId))
      ),
      Wallet.view
    )
})

export const AccountId = Id("The wallet's id, from list_wallets.")

/** The account's wallet under the name the spec gives its id here. */
export const find = (accountId: string, walletId: string) =>
  orNoSuch(
    Wallets.use(({ find }) => find(accountId, walletId)),
    { param: "accountId", what: "wallet", operation: "list_wallets" }
  )
