/**
 * What a trade is about, found and checked: a wallet of the caller, a token on its chain, and the spender
 * its flow has there. The spender is looked up and never taken from the caller.
 */

import { Effect, type Schema } from "effect"
import * as Address from "../chains/address.ts"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import { findOwn } from "../operation/own.ts"
import { InvalidAddress } from "../operation/refusal.ts"
import { requireConnected } from "../tokens/connected.ts"
import * as Pinned from "../tokens/pinned.ts"
import { TokenNotVerified } from "../tokens/refusals.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { beginBridges } from "./begin-bridges.ts"
import * as Spender from "./spender.ts"

export const fields = {
  fromWalletId: Id("The wallet, from list_wallets."),
  tokenAddress: Text.Line(64).annotate({
    description: "The token's contract on its chain."
  }),
  flow: Spender.Flow
}
type Fields = Schema.Struct<typeof fields>["Type"]

const walletOf = (walletId: string) =>
  findOwn({ param: "fromWalletId", what: "wallet", operation: "list_wallets" }, (accountId) =>
    Wallets.use(({ find }) => find(accountId, walletId))
  )

export const find = Effect.fnUntraced(function* ({ flow, fromWalletId, tokenAddress }: Fields) {
  const wallet = yield* walletOf(fromWalletId)
  if (flow === "limit_order_bridge") yield* beginBridges
  yield* requireConnected(wallet.chainId, "fromWalletId")
  const spender = yield* Spender.of(flow, wallet.chainId)
  const token = Address.parse(wallet.chainId, tokenAddress)
  if (token === undefined) {
    return yield* new InvalidAddress({
      param: "tokenAddress",
      message: "This is not an address of that chain, or its checksum is wrong; copy it again."
    })
  }
  return {
    wallet,
    spender,
    flow,
    tokenAddress: token,
    /** As the operator's list has it; undefined when that does not list it. */
    pinned: yield* Pinned.at(wallet.chainId, token)
  }
})

export type Subject = Effect.Success<ReturnType<typeof find>>

/** The same of a token that is listed. */
export const findListed = Effect.fnUntraced(function* (input: Fields) {
  const { pinned, ...subject } = yield* find(input)
  if (pinned !== undefined) return { ...subject, pinned }
  const { chainId } = subject.wallet
  return yield* new TokenNotVerified({
    param: "tokenAddress",
    message: `This token is not on the operator's list for ${chainId}; choose one that discover_tokens shows as verified.`,
    next: { operation: "discover_tokens", args: { chainId } }
  })
})

export type Listed = Effect.Success<ReturnType<typeof findListed>>

/** What a token is asked about it, by the keys of the addresses. */
export const permissionOf = ({
  spender,
  tokenAddress,
  wallet
}: Pick<Subject, "spender" | "tokenAddress" | "wallet">) => ({
  token: Address.keyOf(wallet.chainId, tokenAddress),
  owner: Address.keyOf(wallet.chainId, wallet.address),
  spender: Address.keyOf(wallet.chainId, spender.address)
})
