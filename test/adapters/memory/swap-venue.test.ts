/** The scripted venues keep the contracts of venues: both quote alike, and the order book takes orders. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as Mempool from "../../../adapters/memory/mempool.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { nothing } from "../../../adapters/memory/submitter.ts"
import * as MemoryVenue from "../../../adapters/memory/swap-venue.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Address, type AddressKey, families, keyOf } from "../../../core/chains/address.ts"
import { spenders } from "../../../core/chains/evm-contracts.ts"
import { callIn, dataOf } from "../../../core/evm/call.ts"
import { Chains } from "../../../core/ports/chains.ts"
import type { SwapVenues } from "../../../core/ports/swap-venue.ts"
import * as LostOrders from "../../contracts/lost-orders.contract.ts"
import * as Quotes from "../../contracts/swap-quotes.contract.ts"
import * as Contract from "../../contracts/swap-venues.contract.ts"
import * as Swaps from "../../contracts/swaps.contract.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"
import { anOwner } from "../../support/solana-world.ts"
import { memory } from "../../support/swap-world.ts"

const gold = Value.key(`0x${"90".repeat(20)}`)
const [sellAmount, gives, per] = [100_000_000n, 2n * 10n ** 18n, 1_000_000n]

let wallets = 0

/** What chains read no further: whose call it is. */
const identity = "ab".repeat(32)

const ground = (state: ScriptedChain.State) =>
  Layer.effect(
    Contract.VenueGround,
    Effect.gen(function* () {
      const chain = yield* MemoryChains.ChainScript
      const venue = yield* MemoryVenue.SwapScript
      const { connected, tip } = yield* Chains
      const usdc = connected[0]?.usdc ?? Value.key("")
      const chainId = "local"
      yield* venue.minimum(usdc, 1_000n)
      const seconds = Effect.map(Effect.orDie(tip(chainId)), ({ timestamp }) =>
        Math.floor(Number(timestamp.epochMilliseconds) / 1000)
      )
      return {
        request: Effect.gen(function* () {
          const owner = keyOf(chainId, `0x${(++wallets).toString(16).padStart(40, "a")}`)
          yield* venue.rate({ sell: usdc, buy: gold, gives, per })
          yield* chain.airdrop({ to: owner, amount: 1n, symbol: "GOLD", tokenAddress: gold })
          yield* chain.fund(owner, sellAmount)
          const spender = spenders["CoW Protocol GPv2VaultRelayer"]
          yield* chain.approve({ owner, spender, amount: sellAmount })
          yield* chain.mine(3)
          const asked = { chainId, owner, receiver: owner, sell: usdc, buy: gold }
          return { ...asked, sellAmount, slippageBps: 50 }
        }),
        sign: (_, bytes) => Effect.succeed(`0x${Buffer.from(bytes).toString("hex")}`),
        away: venue.away,
        loseReply: venue.loseReply(),
        forget: ({ orderId }) => venue.forget(orderId),
        fill: ({ orderId }) => venue.fill(orderId),
        invalidate: ({ owner }, { call }) => {
          const { data, to, value } = callIn({ call })
          const scripted = ScriptedChain.find(state, chainId)
          const relayer = Address.make(owner)
          const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
          scripted.coins.set(owner, 10n ** 18n)
          const own = { to, data: dataOf({ data, to, value }, identity), value, gas: 60_000n }
          const nonce = ScriptedChain.countOf(scripted, relayer)
          const { raw } = Mempool.wrap(relayer, { ...nothing, chainId }, nonce, fees, {
            own
          })
          return Effect.suspend(() => {
            assert.isUndefined(Mempool.take(scripted, raw))
            return chain.mine(1)
          })
        },
        halvePrice: ({ buy, sell }) => venue.rate({ sell, buy, gives: gives / 2n, per }),
        finalize: chain.mine(3),
        reorg: chain.reorg(1),
        chainIs: (mood) =>
          Effect.andThen(chain.outage(mood === "away"), venue.veil(mood === "unreadable")),
        newest: Effect.orDie(tip(chainId)),
        chainSeconds: seconds,
        passes: (some) => chain.timePasses(some)
      } satisfies Contract.VenueGround["Service"]
    })
  )

const world = Layer.suspend(() => {
  const state = Wiring.scriptedChain()
  return ground(state).pipe(
    Layer.provideMerge(Layer.merge(MemoryChains.layer(state), MemoryVenue.layer(state)))
  )
}) satisfies Layer.Layer<SwapVenues | Contract.VenueGround>

Contract.suite("memory", world)
LostOrders.suite("memory", world)

/** The venue of a chain, whose rates a script says. */
const quotes = (chainId: "local" | "local-solana", sell: AddressKey, buy: AddressKey) =>
  Layer.suspend(() => {
    const asked = Layer.effect(
      Quotes.QuoteGround,
      Effect.map(MemoryVenue.SwapScript, ({ away, lie, limit, minimum, rate }) => {
        const owner = keyOf(chainId, chainId === "local" ? Rows.anAddress() : anOwner())
        const request = { chainId, owner, receiver: owner, sell, sellAmount, buy, slippageBps: 50 }
        return {
          request: Effect.as(
            Effect.andThen(minimum(sell, 1_000n), rate({ sell, buy, gives, per })),
            request
          ),
          withoutRoute: (each) => ({ ...each, buy: each.owner }),
          tooSmall: (each) => ({ ...each, sellAmount: 999n }),
          becomes: (mood) =>
            Effect.all([away(mood === "away"), limit(mood === "busy"), lie(mood === "lies")], {
              discard: true
            }),
          halvePrice: () => rate({ sell, buy, gives: gives / 2n, per })
        } satisfies Quotes.QuoteGround["Service"]
      })
    )
    const state = Wiring.scriptedChain(["local", "local-solana"])
    return asked.pipe(Layer.provideMerge(MemoryVenue.layer(state)))
  })

const jup = keyOf("local-solana", Wiring.jup.address)

const onSolana = quotes("local-solana", jup, keyOf("local-solana", families.solana.exampleAddress))

Quotes.suite("memory", quotes("local", Value.key(`0x${"c0".repeat(20)}`), gold))
Quotes.suite("memory, Solana", onSolana)
Quotes.builds("memory, Solana", onSolana, (isSilent) =>
  Effect.flatMap(MemoryVenue.SwapScript, ({ buildNothing }) => buildNothing(isSilent))
)

Swaps.suite("memory, Solana", memory)
