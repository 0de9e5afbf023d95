/** A swap that was approved, the order that follows from it, and what the records say of both. */
import { DateTime, Schema } from "effect"
import { Address } from "../../core/chains/address.ts"
import * as Usd from "../../core/money/usd.ts"
import { SwapOrder } from "../../core/ports/swap-venue.ts"
import type { SigningRequest } from "../../core/proposals/kind.ts"
import type { Sale } from "../../core/sales/sale.ts"
import { type Records, signing } from "../../core/swaps/sign-order.ts"
import type { Terms } from "../../core/swaps/terms.ts"
import { newWait, type Wait } from "../../core/waits/wait.ts"
import * as Value from "./chain-values.ts"

export const chainId = "local"
export const openedAt = DateTime.makeUnsafe(2_000_000_000_000)
export const openedSeconds = 2_000_000_000
export const address = (digit: string) => Value.key(`0x${digit.repeat(40)}`)
const tokenOf = (digit: string) => ({
  chainId,
  tokenAddress: Address.make(address(digit)),
  symbol: `T${digit}`,
  decimals: 6
})

export const terms: Terms = {
  fromWalletId: "wallet",
  fromAddress: Address.make(address("1")),
  chainId,
  sell: tokenOf("3"),
  sellAmount: 1_000_000_000n,
  buy: tokenOf("4"),
  minBuyAmount: 390_000n,
  toWalletId: "other",
  receiver: Address.make(address("2")),
  protocol: "cow",
  slippagePercent: 0.5,
  worthUsd: Usd.make(1_000_000_000n),
  valueAtRiskUsd: Usd.make(9_000_000n),
  feesUsd: Usd.zero,
  maxCostUsd: Usd.make(39_000_000n),
  notAfter: DateTime.makeUnsafe(2_000_600_000_000)
}

export const order: SwapOrder = {
  identity: "identity",
  chainId,
  owner: address("1"),
  receiver: address("2"),
  sell: address("3"),
  sellAmount: terms.sellAmount,
  buy: address("4"),
  minBuyAmount: 398_000n,
  validTo: openedSeconds + 300
}

const encode = Schema.encodeSync(Schema.toCodecJson(SwapOrder))
export const callOf = (asked: SwapOrder) => encode(asked) as Schema.JsonObject

export const requestOf = (asked: SwapOrder): SigningRequest => ({
  act: "order",
  from: asked.owner,
  to: asked.receiver,
  amount: { token: { chainId: asked.chainId, address: asked.sell }, units: asked.sellAmount },
  identity: "identity",
  call: callOf(asked),
  proposalId: "proposal",
  accountId: "account",
  walletId: terms.fromWalletId,
  chainId,
  key: { backend: "memory", ref: "key" },
  token: asked.sell,
  part: null
})

export const sale: Sale = {
  proposalId: "proposal",
  accountId: "account",
  walletId: terms.fromWalletId,
  amount: { token: { chainId, address: order.sell }, units: order.sellAmount },
  worthMicro: terms.worthUsd,
  day: "2033-05-18",
  state: "open",
  openedAt
}

export const waitWith = (asked: SwapOrder, over: Partial<Wait> = {}): Wait => ({
  ...newWait(
    {
      id: "wait",
      accountId: "account",
      proposalId: "proposal",
      n: 1,
      kind: "fill",
      watch: "swap_order",
      chainId,
      terms: {},
      deadline: DateTime.add(openedAt, { minutes: 20 }),
      isStopAsked: false
    },
    openedAt
  ),
  journal: { order: callOf(asked) },
  ...over
})

/** By the rule of swaps, of one that nobody asked to stop. */
export const violation = (
  request: SigningRequest,
  approved: Terms,
  records: Pick<Records, "sale" | "waits"> & Partial<Records>
) =>
  signing.violation(request, approved, {
    isStopAsked: false,
    isClosed: false,
    invalidation: undefined,
    ...records
  })

/** Why it is not signed, when exactly this order was written down. */
export const against = (asked: SwapOrder, request = requestOf(asked)) =>
  violation(request, terms, { sale, waits: [waitWith(asked)] })
