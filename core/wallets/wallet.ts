/**
 * A wallet: one address on one chain, whose key a backend holds. A collection wallet is a
 * customer's vault, the `walletMappingId` payments are asked on; a standard wallet is the account's own.
 */
import { type DateTime, Effect, Schema } from "effect"
import type { KeyRef } from "../chains/key.ts"
import * as Text from "../encoding/text.ts"
import * as Page from "../operation/page.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import * as Instant from "../time/timestamp.ts"
import { Wallets } from "./wallet-store.ts"

export interface Customer {
  readonly externalId: string
  readonly namespace: string
}

export interface Wallet {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly nickname: string | null
  /** Checksummed on EVM; compared in lower case. */
  readonly address: string
  readonly chainId: string
  readonly isDefault: boolean
  readonly metadata: Readonly<Record<string, string>>
  readonly kind: "standard" | "collection"
  readonly customer: Customer | null
  readonly key: KeyRef
  readonly createdAt: DateTime.Utc
}

export const fields = {
  id: Schema.String,
  name: Schema.String,
  nickname: Schema.NullOr(Schema.String),
  address: Schema.String,
  chain: Schema.String,
  chainId: Schema.String,
  isDefault: Schema.Boolean,
  metadata: Schema.Record(Schema.String, Schema.String),
  kind: Schema.Literals(["standard", "collection"]),
  createdAt: Instant.Shown
}

export const view = (wallet: Wallet) => ({ ...wallet, chain: wallet.chainId })

export const listWallets = Page.list("list_wallets", {
  summary: "Lists the account's wallets and customer vaults, optionally those carrying one tag.",
  next: "A wallet's id is the walletId, fromWalletId or walletMappingId of other operations.",
  scope: "balances:read",
  key: "wallets",
  fields,
  input: {
    metadataKey: Schema.optionalKey(Text.TagKey),
    metadataValue: Schema.optionalKey(Text.TagValue)
  },
  page: Effect.fnUntraced(function* ({ accountId, filter, request }) {
    if (filter.metadataValue !== undefined && filter.metadataKey === undefined) {
      return yield* new InvalidRequest({
        param: "metadataValue",
        message: "metadataValue is only used with metadataKey; send both."
      })
    }
    return yield* (yield* Wallets).list(accountId, filter, request)
  }),
  view
})
