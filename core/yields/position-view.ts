/** A yield position as callers see it. One in a vault nobody vouches for has no value, whatever the vault says. */
import { type DateTime, Schema } from "effect"
import * as Address from "../chains/address.ts"
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import * as Usdc from "../money/usdc.ts"
import type { Price } from "../ports/prices.ts"
import type { VaultPosition } from "../ports/yield-positions.ts"
import * as Timestamp from "../time/timestamp.ts"
import type { Token } from "../tokens/token.ts"
import { valueMicro } from "../tokens/value.ts"
import type { Wallet } from "../wallets/wallet.ts"
import type * as Found from "./position.ts"

export const fields = {
  walletId: Schema.String,
  chainId: Schema.String,
  protocol: Schema.NullOr(
    Schema.String.annotate({ description: "Who runs the vault; null if nobody vouches for it." })
  ),
  vaultAddress: Address.Address,
  asset: Schema.Struct({
    symbol: Schema.NullOr(
      Schema.String.annotate({ description: "The symbol, for known tokens only." })
    ),
    tokenAddress: Address.Address
  }),
  sharesSmallest: Usdc.SmallestUnits.annotate({ description: "The shares, in smallest units." }),
  assetsSmallest: Usdc.SmallestUnits.annotate({
    description: "What the shares are worth in the asset, in its smallest units, as the vault says."
  }),
  withdrawableSmallest: Usdc.SmallestUnits.annotate({
    description: "What could be taken out now, in the asset's smallest units."
  }),
  valueUsd: Schema.NullOr(
    Schema.String.annotate({ description: "USD; null without a price, and if not verified." })
  ),
  apyPct: Schema.NullOr(
    Schema.String.annotate({ description: "Percent a year; null if unknown." })
  ),
  verified: Schema.Boolean.annotate({
    description: "true if the vault is on the treasury's list. Only then it is priced and counted."
  }),
  asOf: Timestamp.Encoded,
  stale: Schema.Boolean.annotate({
    description: "The price or the yield is outdated; the amounts are never."
  })
}
export type Position = Schema.Struct<typeof fields>["Type"]

export const ofVouched = (
  { assets, shares, vault, wallet, withdrawable }: Found.Position,
  facts: {
    readonly price: Pick<Price, "usd"> | undefined
    readonly apyPct: Decimal.Decimal | undefined
    readonly asOf: DateTime.Utc
    readonly stale: boolean
  }
): Position => ({
  walletId: wallet.id,
  chainId: vault.chainId,
  protocol: vault.protocol,
  vaultAddress: Address.shown(vault.chainId, vault.address),
  asset: {
    symbol: vault.token.symbol,
    tokenAddress: Address.shown(vault.chainId, vault.asset)
  },
  sharesSmallest: shares,
  assetsSmallest: assets,
  withdrawableSmallest: withdrawable,
  valueUsd:
    facts.price === undefined
      ? null
      : Usd.format(valueMicro(assets, vault.token.decimals, facts.price)),
  apyPct: facts.apyPct === undefined ? null : Decimal.format(Decimal.rounded(facts.apyPct, 2)),
  verified: true,
  asOf: facts.asOf,
  stale: facts.stale
})

export const ofStrange = (
  { chainId, id }: Wallet,
  { asset, assets, shares, vault, withdrawable }: VaultPosition,
  token: Token | undefined,
  asOf: DateTime.Utc
): Position => ({
  walletId: id,
  chainId,
  protocol: null,
  vaultAddress: Address.shown(chainId, vault),
  asset: { symbol: token?.symbol ?? null, tokenAddress: Address.shown(chainId, asset) },
  sharesSmallest: shares,
  assetsSmallest: assets,
  withdrawableSmallest: withdrawable,
  valueUsd: null,
  apyPct: null,
  verified: false,
  asOf,
  stale: false
})
