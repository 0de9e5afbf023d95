/** A treasury in memory with a market in GOLD: its price, its rate at the venue, and wallets that hold and allow. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { PriceScript } from "../../../adapters/memory/prices.ts"
import { SwapScript } from "../../../adapters/memory/swap-venue.ts"
import {
  openTreasury,
  type TestAccount,
  type TestTreasury
} from "../../../apps/testing/treasury.ts"
import { gold as listed } from "../../../apps/testing/wiring.ts"
import { spenders } from "../../../core/chains/evm-contracts.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import * as Value from "../../support/chain-values.ts"

export const gold = Value.key(listed.address.toLowerCase())
export const usdc = Value.key(`0x${"05".repeat(20)}`)
const spender = spenders["CoW Protocol GPv2VaultRelayer"]
const one = 10n ** 18n

export interface Market {
  readonly treasury: TestTreasury
  /** What GOLD costs in USD at both sources, and what the venue gives for it. */
  readonly goldAt: (usd: string | undefined, cents?: bigint) => Promise<void>
  readonly script: <A>(use: (venue: SwapScript["Service"]) => Effect.Effect<A>) => Promise<A>
  readonly placed: () => Promise<ReadonlyArray<string>>
  /** Fills an order, and makes it final. */
  readonly fill: (orderId: string) => Promise<boolean>
  readonly fund: (address: string, usdcMicro: bigint, goldUnits?: bigint) => Promise<void>
  readonly allow: (owner: string, amount: bigint, token?: string) => Promise<void>
}

export const openMarket = async (): Promise<Market> => {
  const treasury = await openTreasury({ tokens: [listed] })
  const script = <A>(use: (venue: SwapScript["Service"]) => Effect.Effect<A>) =>
    treasury.operate(Effect.flatMap(SwapScript, use))
  const woken = Effect.flatMap(Notifier, ({ signal }) =>
    Effect.andThen(signal("chains"), signal("waits"))
  )
  const market: Market = {
    treasury,
    script,
    goldAt: (usd, cents = usd === undefined ? 200n : BigInt(Math.round(Number(usd) * 100))) =>
      treasury.operate(
        Effect.gen(function* () {
          const venue = yield* SwapScript
          yield* (yield* PriceScript).quote({ chainId: "local", address: gold, usd })
          yield* venue.rate({ sell: usdc, buy: gold, gives: one, per: cents * 10_000n })
          yield* venue.rate({ sell: gold, buy: usdc, gives: cents * 10_000n, per: one })
        })
      ),
    placed: () =>
      script(({ placed }) => Effect.map(placed, (orders) => orders.map(({ orderId }) => orderId))),
    fill: async (orderId) => {
      const isFilled = await script((venue) => venue.fill(orderId))
      await treasury.mine()
      await treasury.operate(woken)
      await treasury.advance("6 seconds")
      return isFilled
    },
    fund: (to, usdcMicro, goldUnits = 0n) =>
      treasury.operate(
        Effect.gen(function* () {
          const chain = yield* ChainScript
          yield* chain.airdrop({ to, amount: goldUnits, symbol: "GOLD", tokenAddress: gold })
          if (usdcMicro > 0n) yield* chain.fund(to, usdcMicro)
        })
      ),
    allow: (owner, amount, token = usdc) =>
      treasury.operate(
        Effect.flatMap(ChainScript, (chain) =>
          Effect.asVoid(chain.approve({ owner, spender, amount, token }))
        )
      )
  }
  await market.goldAt("2.00")
  for (const account of [treasury.agent, treasury.developer]) {
    await market.fund(account.wallet.address, 5_000_000_000n, 100n * one)
    await market.allow(account.wallet.address, 5_000_000_000n)
    await market.allow(account.wallet.address, 100n * one, gold)
  }
  await treasury.operate(Effect.asVoid(Chains))
  return market
}

/** What is asked for a swap of a hundred USDC for GOLD, unless said otherwise. */
export const asked = (account: TestAccount, over: Readonly<Record<string, unknown>> = {}) => ({
  fromWalletId: account.wallet.id,
  sellSymbol: "USDC",
  sellTokenAddress: usdc,
  buySymbol: "GOLD",
  buyTokenAddress: listed.address,
  amountUsd: "100.00",
  slippagePercent: 0.5,
  ...over
})

/** What a call is refused with. */
export const refused = async (call: Promise<unknown>): Promise<Record<string, unknown>> => {
  try {
    await call
  } catch (error) {
    return error as Record<string, unknown>
  }
  return assert.fail("it was not refused")
}
