/**
 * What a swap is about, found and checked: two wallets of the caller on one chain, and two tokens of its list. Money
 * that a customer pays into a vault is not traded.
 */
import { Effect, Schema } from "effect"
import { familyOf } from "../chains/address.ts"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Usd from "../money/usd.ts"
import { findOwn } from "../operation/own.ts"
import { InvalidAmount, InvalidRequest, NotFound } from "../operation/refusal.ts"
import { SwapVenues, venueOn } from "../ports/swap-venue.ts"
import { bpsOf, defaultSlippagePercent, SlippagePercent } from "../quotes/quote.ts"
import { RouteNotAvailable } from "../quotes/refusals.ts"
import * as Route from "../routing/route.ts"
import { requireConnected } from "../tokens/connected.ts"
import * as Pinned from "../tokens/pinned.ts"
import { refusals as ofTokens, resolve } from "../tokens/resolve.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"

const TokenSymbol = Text.Line(32)
const Place = Text.Line(64)

export const fields = {
  fromWalletId: Id("The wallet that sells, from list_wallets."),
  sellSymbol: TokenSymbol.annotate({ description: "The symbol of the sold token, such as USDC." }),
  buySymbol: TokenSymbol.annotate({ description: "The symbol of the bought token." }),
  amountUsd: Text.Line(40).annotate({
    description: 'How much to sell, in USD at its price: `"25.00"`. Exact for USDC.'
  }),
  slippagePercent: Schema.optionalKey(
    SlippagePercent.annotate({
      description: "How much less than quoted is accepted, in percent with at most two decimals.",
      default: defaultSlippagePercent
    })
  )
}

export const addresses = { sellTokenAddress: Place, buyTokenAddress: Place }
export const mints = { sellMint: Place, buyMint: Place }

/** What any operation about a swap is given; where tokens stand goes by the family of the chain. */
export interface Asked {
  readonly fromWalletId: string
  readonly toWalletId?: string
  readonly sellSymbol: string
  readonly buySymbol: string
  readonly sellTokenAddress?: string
  readonly buyTokenAddress?: string
  readonly sellMint?: string
  readonly buyMint?: string
  readonly amountUsd: string
  readonly slippagePercent?: number
}

export const refusals = [NotFound, InvalidAmount, RouteNotAvailable, ...ofTokens] as const

const selling = { param: "fromWalletId", what: "wallet", operation: "list_wallets" }
const receiving = { param: "toWalletId", what: "wallet", operation: "list_wallets" }

const walletOf = Effect.fnUntraced(function* (missing: typeof selling, walletId: string) {
  const wallet = yield* findOwn(missing, (accountId) =>
    Wallets.use(({ find }) => find(accountId, walletId))
  )
  if (wallet.kind === "standard") return wallet
  return yield* new InvalidRequest({
    param: missing.param,
    message: "This is a customer's vault; trades start and end in wallets of the account's own."
  })
})

/** The wallet that receives: the selling one, unless another of the same chain is named. */
const receivingOf = Effect.fnUntraced(function* (from: Wallet, toWalletId: string | undefined) {
  if (toWalletId === undefined || toWalletId === from.id) return from
  const to = yield* walletOf(receiving, toWalletId)
  if (to.chainId === from.chainId && familyOf(from.chainId).holdsInAccounts) return to
  return yield* new InvalidRequest({
    param: "toWalletId",
    message:
      to.chainId === from.chainId
        ? "What is bought on this chain goes to the selling wallet; leave toWalletId out."
        : `The wallets are on ${from.chainId} and ${to.chainId}; use propose_bridge between chains.`
  })
})

/** Tokens of another family of chains name a wallet of another family. */
const misplaced = (asked: Asked, tokenField: "TokenAddress" | "Mint") => {
  const stray =
    tokenField === "Mint"
      ? { sellTokenAddress: asked.sellTokenAddress, buyTokenAddress: asked.buyTokenAddress }
      : { sellMint: asked.sellMint, buyMint: asked.buyMint }
  const found = Object.entries(stray).find(([, value]) => value !== undefined)
  return found?.[0]
}

/** The amount that was asked for, or the refusal that says how to write it. */
export const amountOf = Effect.fnUntraced(function* (amountUsd: string) {
  const amountMicro = Usd.parse(amountUsd)
  if (amountMicro !== undefined) return amountMicro
  return yield* new InvalidAmount({
    param: "amountUsd",
    message:
      'Send a positive decimal up to a trillion with at most 6 fraction digits, such as "25.00".'
  })
})

/** Refuses where the routing guide says that nothing can be swapped, in its words. */
const requireWay = Effect.fnUntraced(function* (chainId: string) {
  yield* requireConnected(chainId, "fromWalletId")
  const venues = yield* SwapVenues
  const side = { chainId, tokens: yield* Pinned.on(chainId) }
  const { reason } = Route.swapOn(side, venueOn(venues, chainId))
  if (reason === undefined) return
  return yield* new RouteNotAvailable({
    param: "fromWalletId",
    message: `${reason} Use a wallet on another chain.`,
    details: { supported: venues.venues.flatMap(({ chainIds }) => chainIds) },
    next: { operation: "get_routing_guide", args: { fromChainId: chainId, toChainId: chainId } }
  })
})

export const find = Effect.fnUntraced(function* (asked: Asked) {
  const from = yield* walletOf(selling, asked.fromWalletId)
  yield* requireWay(from.chainId)
  const to = yield* receivingOf(from, asked.toWalletId)
  const amountMicro = yield* amountOf(asked.amountUsd)
  const { tokenField } = familyOf(from.chainId)
  const stray = misplaced(asked, tokenField)
  if (stray !== undefined) {
    return yield* new InvalidRequest({
      param: stray,
      message: `The wallet is on ${from.chainId}; name its tokens by sell${tokenField} and buy${tokenField}, or use a wallet of their chain.`,
      next: { operation: "list_wallets", args: {} }
    })
  }
  const token = (side: "sell" | "buy") =>
    resolve({
      chainId: from.chainId,
      symbol: asked[`${side}Symbol`],
      address: asked[`${side}${tokenField}`],
      params: { symbol: `${side}Symbol`, address: `${side}${tokenField}` }
    })
  const [sell, buy] = [yield* token("sell"), yield* token("buy")]
  if (sell.address === buy.address) {
    return yield* new InvalidRequest({
      param: "buySymbol",
      message: "Both tokens are the same; name another one to buy.",
      next: {
        operation: "discover_tokens",
        args: { chainId: from.chainId, verifiedOnly: true }
      }
    })
  }
  const slippagePercent = asked.slippagePercent ?? defaultSlippagePercent
  return { from, to, sell, buy, amountMicro, slippagePercent, slippageBps: bpsOf(slippagePercent) }
})

export type Subject = Effect.Success<ReturnType<typeof find>>
