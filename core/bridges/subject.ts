/**
 * What a bridge is about, found and checked: two wallets of the caller's account on two chains, and one token on each.
 * Money that a customer pays into a vault is not carried anywhere.
 */
import { Effect } from "effect"
import { Id } from "../encoding/id.ts"
import * as Text from "../encoding/text.ts"
import * as Usd from "../money/usd.ts"
import { findOwn } from "../operation/own.ts"
import {
  InvalidAmount,
  InvalidRequest,
  NotFound,
  UpstreamUnavailable
} from "../operation/refusal.ts"
import { Bridges } from "../ports/bridge.ts"
import { RouteNotAvailable } from "../quotes/refusals.ts"
import * as Route from "../routing/route.ts"
import { requireAll } from "../tokens/connected.ts"
import * as Pinned from "../tokens/pinned.ts"
import { refusals as ofTokens, resolve } from "../tokens/resolve.ts"
import { beginBridges } from "../trade/begin-bridges.ts"
import { Wallets } from "../wallets/wallet-store.ts"

const Ticker = Text.Line(32)

export const fields = {
  fromWalletId: Id("The wallet that sends, from list_wallets."),
  toWalletId: Id("The account's own wallet on the other chain, which receives."),
  sellSymbol: Ticker.annotate({ description: "The symbol of what is sent, such as USDC." }),
  buySymbol: Ticker.annotate({ description: "The symbol of what arrives." }),
  amountUsd: Text.Line(40).annotate({
    description: 'How much to send, in USD at its price: `"25.00"`. Exact for USDC.'
  })
}

export interface Asked {
  readonly fromWalletId: string
  readonly toWalletId: string
  readonly sellSymbol: string
  readonly buySymbol: string
  readonly sellTokenAddress?: string
  readonly buyTokenAddress?: string
  readonly amountUsd: string
}

export const refusals = [
  NotFound,
  InvalidAmount,
  RouteNotAvailable,
  UpstreamUnavailable,
  ...ofTokens
] as const

const walletOf = Effect.fnUntraced(function* (param: string, walletId: string) {
  const missing = { param, what: "wallet", operation: "list_wallets" }
  const wallet = yield* findOwn(missing, (accountId) =>
    Wallets.use(({ find }) => find(accountId, walletId))
  )
  if (wallet.kind === "standard") return wallet
  return yield* new InvalidRequest({
    param,
    message: "This is a customer's vault; bridges start and end in wallets of the account's own."
  })
})

/** Refuses where the routing guide says that nothing can be bridged, in its words. */
const requireWay = Effect.fnUntraced(function* (fromChainId: string, toChainId: string) {
  yield* requireAll([fromChainId, toChainId], "toWalletId")
  const from = { chainId: fromChainId, tokens: yield* Pinned.on(fromChainId) }
  const to = { chainId: toChainId, tokens: yield* Pinned.on(toChainId) }
  const ways = (yield* Bridges).map((bridge) =>
    Route.bridgeBetween(from, to, bridge.protocol, bridge)
  )
  if (ways.some(({ reason }) => reason === undefined)) return
  return yield* new RouteNotAvailable({
    param: "toWalletId",
    message: `${Route.noBridge(fromChainId, toChainId)}; name wallets on other chains.`,
    details: { fromChainId, toChainId },
    next: { operation: "get_routing_guide", args: { fromChainId, toChainId } }
  })
})

const amountOf = Effect.fnUntraced(function* (amountUsd: string) {
  const amountMicro = Usd.parse(amountUsd)
  if (amountMicro !== undefined) return amountMicro
  return yield* new InvalidAmount({
    param: "amountUsd",
    message:
      'Send a positive decimal up to a trillion with at most 6 fraction digits, such as "25.00".'
  })
})

export const find = Effect.fnUntraced(function* (asked: Asked) {
  yield* beginBridges
  const from = yield* walletOf("fromWalletId", asked.fromWalletId)
  const to = yield* walletOf("toWalletId", asked.toWalletId)
  if (from.chainId === to.chainId) {
    return yield* new InvalidRequest({
      param: "toWalletId",
      message: `Both wallets are on ${from.chainId}; name a wallet on another chain.`
    })
  }
  yield* requireWay(from.chainId, to.chainId)
  const amountMicro = yield* amountOf(asked.amountUsd)
  const token = (side: "sell" | "buy", chainId: string) =>
    resolve({
      chainId,
      symbol: asked[`${side}Symbol`],
      address: asked[`${side}TokenAddress`],
      params: { symbol: `${side}Symbol`, address: `${side}TokenAddress` }
    })
  const [sell, buy] = [yield* token("sell", from.chainId), yield* token("buy", to.chainId)]
  return { from, to, sell, buy, amountMicro }
})

export type Subject = Effect.Success<ReturnType<typeof find>>
