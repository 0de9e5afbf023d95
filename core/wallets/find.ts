/** Reads of wallets: one by its id, and the list by tag. */

import { Effect, Schema } from "effect"
import * as Text from "../encoding/text.ts"
import { orNoSuch } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import * as Wallet from "./wallet.ts"
import { Wallets } from "./wallet-store.ts"

export const listWallets = Page.list("list_wallets", {
  summary:
    "Lists the account's wallets and customer vaults, optionally those with one tag or of one kind.",
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
    )
  },
  page: Effect.fnUntraced(function* ({ accountId, filter, request }) {
    if (filter.metadataValue !== undefined && filter.metadataKey === undefined) {
      return yield* new InvalidRequest({
        param: "metadataValue",
        message: "metadataValue needs metadataKey; send both."
      })
    }
    return yield* (yield* Wallets).list(accountId, filter, request)
  }),
  view: Wallet.view
})

export const AccountId = Text.Line(64).annotate({
  description: "The wallet's id, from list_wallets."
})

/** The account's wallet under the name the spec gives its id here. */
export const find = (accountId: string, walletId: string) =>
  orNoSuch(
    Wallets.use(({ find }) => find(accountId, walletId)),
    { param: "accountId", what: "wallet", operation: "list_wallets" }
  )
