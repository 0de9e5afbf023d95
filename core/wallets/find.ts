/** Reads of wallets: one by its id, and the list by tag. */

import { Context, Effect, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn, orNoSuch } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { InvalidRequest, NotFound } from "../operation/refusal.ts"
import * as Customer from "./customer.ts"
import * as Wallet from "./wallet.ts"
import { type Filter, Wallets } from "./wallet-store.ts"

const filters = {
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
}

/** What is asked of the store, if it is something that may be asked. */
const asking = ({
  filter: { customerExternalId, customerNamespace, since, until, ...wanted },
  request
}: Page.ListCall<Schema.Struct<typeof filters>["Type"]>): Effect.Effect<
  readonly [Filter, Page.Request],
  InvalidRequest
> => {
  if (wanted.metadataValue !== undefined && wanted.metadataKey === undefined) {
    return Effect.fail(
      new InvalidRequest({
        param: "metadataValue",
        message: "metadataValue needs metadataKey; send both."
      })
    )
  }
  const named = Customer.wantedCustomer({ customerExternalId, customerNamespace })
  return Effect.flatMapEager(named, (customer) =>
    Effect.mapEager(Page.during(request, { since, until }), (during) => [
      { ...wanted, customer },
      during
    ])
  )
}

export const listWallets = Page.list("list_wallets", {
  summary:
    "Lists the account's wallets and customer vaults, optionally those with one tag, of one kind, customer or time, or that a search finds.",
  next: "A wallet's id is the walletId, fromWalletId or walletMappingId of other operations.",
  scope: "balances:read",
  key: "wallets",
  fields: Wallet.fields,
  input: filters,
  page: (call) =>
    Effect.flatMapEager(asking(call), ([filter, request]) =>
      Wallets.use(({ list }) => list(call.accountId, filter, request))
    ),
  atHand: (call, context) => {
    const list = Context.get(context, Wallets).atHand
    const known = list === undefined ? undefined : Page.known(asking(call))
    return known && list?.(call.accountId, ...known)
  },
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
