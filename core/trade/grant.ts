/**
 * What spenders may take from wallets on one chain, as its tokens say it now. Known spenders of verified
 * tokens are always asked about; any other is found where a log of the newest blocks names it.
 */

import { type DateTime, Effect, Schema } from "effect"
import * as Address from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import type * as Page from "../operation/page.ts"
import type { Connected } from "../ports/chains.ts"
import { Allowances, type GrantedAllowance, type Permission } from "../ports/holdings.ts"
import { Secrets } from "../ports/secrets.ts"
import * as Timestamp from "../time/timestamp.ts"
import { TokenSettings, verifiedOn } from "../tokens/token.ts"
import type { Wallet } from "../wallets/wallet.ts"
import * as Spender from "./spender.ts"

/** More than there is of any token: nothing bounds the spender. */
const unbounded = 2n ** 255n

export const fields = {
  id: Schema.String,
  walletId: Schema.String,
  walletName: Schema.String,
  chainId: Schema.String,
  tokenAddress: Address.Address,
  symbol: Schema.NullOr(Schema.String).annotate({
    description: "The symbol, for known tokens only."
  }),
  spender: Address.Address,
  spenderLabel: Schema.NullOr(Schema.String),
  allowance: Usdc.SmallestUnits,
  isUnlimited: Schema.Boolean,
  grantedAt: Schema.NullOr(Timestamp.Encoded),
  txHash: Schema.NullOr(Address.TransactionId)
}
export type Grant = Schema.Struct<typeof fields>["Type"]

/** A grant with its place in the list: its wallet's, and after that its own. */
export interface Row extends Page.Position {
  readonly grant: Grant
}

/** When and by which transaction a permission was given. */
export interface Origin {
  readonly at: DateTime.Utc
  readonly txHash: Address.TransactionId | null
}

export const keyOf = ({ owner, spender, token }: Permission) => `${owner} ${token} ${spender}`

/** A verified token with a contract; the chain's coin has none and takes no approvals. */
interface Verified {
  readonly address: Address.AddressKey
  readonly symbol: string
  readonly isUsdc: boolean
}

const verified = Effect.fnUntraced(function* (connected: Connected) {
  const { tokens } = yield* TokenSettings
  return verifiedOn(connected, tokens).flatMap(
    ({ address, symbol, isUsdc }): Array<Verified> =>
      address === null
        ? []
        : [{ address: Address.keyOf(connected.chain.id, address), symbol, isUsdc }]
  )
})

/** Every verified token for the account's own wallets, USDC for its many vaults, and what the newest logs name. */
const askedOf = (
  chainId: string,
  tokens: ReadonlyArray<Verified>,
  wallets: ReadonlyArray<Wallet>,
  given: ReadonlyArray<GrantedAllowance>
): ReadonlyArray<Permission> => {
  const known = wallets.flatMap(({ address, kind }) =>
    tokens
      .filter(({ isUsdc }) => isUsdc || kind === "standard")
      .flatMap((token) =>
        Spender.knownSpenders.map((spender) => ({
          token: token.address,
          owner: Address.keyOf(chainId, address),
          spender: Address.keyOf(chainId, spender.address)
        }))
      )
  )
  return [...new Map([...known, ...given].map((each) => [keyOf(each), each])).values()]
}

/** A chain that does not answer leaves nothing to tell; the caller names it. */
const unlessAway = <A, R>(asking: Effect.Effect<A, { readonly _tag: "ChainUnavailable" }, R>) =>
  Effect.catchTag(asking, "ChainUnavailable", () => Effect.undefined)

/** The grants of wallets that are all on this chain, and whether the chain told everything. */
export const on = Effect.fnUntraced(function* (
  connected: Connected,
  wallets: ReadonlyArray<Wallet>,
  remembered: ReadonlyMap<string, Origin>
) {
  const { current, recent } = yield* Allowances
  const { sha256 } = yield* Secrets
  const chainId = connected.chain.id
  const walletByOwner = new Map(wallets.map((each) => [Address.keyOf(chainId, each.address), each]))
  const given = yield* unlessAway(recent(chainId, [...walletByOwner.keys()]))
  const originByKey = new Map<string, Origin>((given ?? []).map((each) => [keyOf(each), each]))
  const tokens = yield* verified(connected)
  const symbolByToken = new Map(tokens.map(({ address, symbol }) => [address, symbol]))
  const asked = askedOf(chainId, tokens, wallets, given ?? [])
  const amounts = yield* unlessAway(current(chainId, asked))
  const rows = asked.flatMap((permission, index): ReadonlyArray<Row> => {
    const key = keyOf(permission)
    const wallet = walletByOwner.get(permission.owner)
    const allowance = amounts?.[index] ?? 0n
    if (wallet === undefined || allowance === 0n) return []
    const origin = originByKey.get(key) ?? remembered.get(key)
    const id = sha256(`${chainId} ${key}`).slice(0, 32)
    const grant: Grant = {
      id,
      walletId: wallet.id,
      walletName: wallet.name,
      chainId,
      tokenAddress: Address.shown(chainId, permission.token),
      symbol: symbolByToken.get(permission.token) ?? null,
      spender: Address.shown(chainId, permission.spender),
      spenderLabel: Spender.at(chainId, permission.spender)?.label ?? null,
      allowance,
      isUnlimited: allowance >= unbounded,
      grantedAt: origin?.at ?? null,
      txHash: origin?.txHash ?? null
    }
    return [{ createdAt: wallet.createdAt, id: `${wallet.id}_${id}`, grant }]
  })
  return { rows, isWhole: given !== undefined && amounts !== undefined }
})
