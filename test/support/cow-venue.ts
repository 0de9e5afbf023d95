/** The venue over CoW Protocol's own contract on a test's chain, and orders that traders of the test sign. */
import { Clock, Effect } from "effect"
import { generatePrivateKey } from "viem/accounts"
import { bytesToHex } from "viem/utils"
import * as CowVenue from "../../adapters/evm/cow/venue.ts"
import type { SignedOrder, SwapOrder, SwapRequest } from "../../core/ports/swap-venue.ts"
import * as Anvil from "./anvil.ts"
import * as Value from "./chain-values.ts"
import { CowWorld, trader } from "./cow-world.ts"

export const dollars = 1_000_000n
const ether = 10n ** 18n

/** Of a call of its own. */
export const anIdentity = (): string => generatePrivateKey().slice(2)

export type Trader = ReturnType<typeof trader>

/** A venue that remembers nothing of those before. */
export const venue = Effect.gen(function* () {
  const chain = yield* Anvil.AnvilChain
  const { book } = yield* CowWorld
  const connection = Anvil.connectionTo(chain, { orderBookUrl: book.url })
  const [made] = CowVenue.venuesOf([connection], { timeoutMs: 2000 })
  return made ?? (yield* Effect.die(new Error("There is no venue.")))
})

/** Somebody who holds USDC and lets the vault relayer take it. */
export const funded = Effect.fnUntraced(function* (units: bigint = 10_000n * dollars) {
  const { approve, giveUsdc, usdc } = yield* CowWorld
  const owner = trader()
  yield* giveUsdc(owner.address, units)
  yield* approve(owner.address, usdc, units)
  return owner
})

export const requestOf = Effect.fnUntraced(function* (
  owner: Trader,
  over: Partial<SwapRequest> = {}
) {
  const { usdc, weth } = yield* CowWorld
  const request: SwapRequest = {
    chainId: "local",
    owner: Value.key(owner.address),
    receiver: Value.key(owner.address),
    sell: Value.key(usdc),
    sellAmount: 1000n * dollars,
    buy: Value.key(weth),
    slippageBps: 50,
    ...over
  }
  return request
})

/** Sells 1,000 USDC for WETH for twenty minutes, for at least 0.39 of it, unless said otherwise. */
export const orderOf = Effect.fnUntraced(function* (owner: Trader, over: Partial<SwapOrder> = {}) {
  const { slippageBps: _, ...request } = yield* requestOf(owner)
  const order: SwapOrder = {
    ...request,
    identity: anIdentity(),
    minBuyAmount: (39n * ether) / 100n,
    validTo: (yield* nowOf) + 1200,
    ...over
  }
  return order
})

/** Of the newest block, in Unix seconds. */
export const chainSeconds = Effect.gen(function* () {
  const { call } = yield* Anvil.AnvilChain
  const block = yield* call("eth_getBlockByNumber", "latest", false)
  return Number((block as { readonly timestamp: string }).timestamp)
})

/** Unix seconds: the later of the chain's and the clock's. */
export const nowOf = Effect.zipWith(chainSeconds, Clock.currentTimeMillis, (seconds, nowMs) =>
  Math.max(seconds, Math.floor(nowMs / 1000))
)

/** As a wallet signs it: over the bytes that the venue says the order has. */
export const signed = Effect.fnUntraced(function* (owner: Trader, order: SwapOrder) {
  const { form } = yield* venue
  const { bytes, orderId } = yield* form(order)
  const signature = yield* Effect.promise(() => owner.sign({ hash: bytesToHex(bytes) }))
  const whole: SignedOrder = { ...order, orderId, signature }
  return whole
})

/** An order of somebody who has the money, handed over. */
export const placed = Effect.fnUntraced(function* (over: Partial<SwapOrder> = {}) {
  const owner = yield* funded()
  const order = yield* signed(owner, yield* orderOf(owner, over))
  yield* (yield* venue).place(order)
  return order
})
