/** The guide over every pair of chains there is: what it says follows from the tables of who trades, and from whether they answer. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryBridges from "../../../adapters/memory/bridges.ts"
import { BridgeScript } from "../../../adapters/memory/bridges.ts"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Address from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { Catalogue } from "../../../core/operation/catalogue.ts"
import { Bridges } from "../../../core/ports/bridge.ts"
import { type SwapVenue, SwapVenues, VenueUnavailable } from "../../../core/ports/swap-venue.ts"
import { plain, TokenSettings } from "../../../core/tokens/token.ts"
import * as Accounts from "../../support/accounts.ts"
import * as Value from "../../support/chain-values.ts"

const gold = {
  ...plain,
  chainId: "local",
  address: Value.lower(`0x${"9d".repeat(20)}`),
  symbol: "GOLD",
  name: "Gold",
  decimals: 18
}

const connections = [
  { id: "local", usdc: `0x${"05".repeat(20)}` },
  { id: "local-2", usdc: `0x${"06".repeat(20)}` },
  { id: "local-solana", usdc: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU" }
].map(({ id, usdc }) => ({
  chain: Chain.find(id) ?? assert.fail(id),
  usdc,
  confirmations: 3,
  pollMs: 3_600_000
}))

/** How a venue stands, and how often it was asked. */
const asked = { count: 0, isAway: false }

const venueOf = (protocol: "cow" | "jupiter", chainId: string): SwapVenue => {
  const quote = () =>
    Effect.suspend(() => {
      asked.count += 1
      return asked.isAway
        ? Effect.fail(new VenueUnavailable({ protocol, reason: "unreachable", detail: "away" }))
        : Effect.void
    })
  // Only its table and its quotes are read here.
  return { protocol, chainIds: [chainId], typicalSeconds: 30, quote } as unknown as SwapVenue
}

const worldWith = (
  venues: ReadonlyArray<SwapVenue>,
  tools: ReadonlyArray<string> = ["propose_swap", "propose_solana_swap", "propose_bridge"]
) =>
  Layer.suspend(() => {
    Object.assign(asked, { count: 0, isAway: false })
    const chain = ScriptedChain.makeState(connections)
    const base = Layer.mergeAll(
      Wiring.layer({ store: new Store(), chain }, 1),
      MemoryChains.layer(chain),
      Layer.succeed(SwapVenues, { venues }),
      MemoryBridges.layer(chain),
      Layer.succeed(TokenSettings, { tokens: [gold] })
    )
    // Whatever this version serves, the guide tells of the tools that a treasury has.
    const catalogue = Layer.effect(
      Catalogue,
      Effect.map(Catalogue, ({ find }) => ({
        find: (name: string) => (tools.includes(name) ? find("get_routing_guide") : find(name))
      }))
    ).pipe(Layer.provide(base))
    return Layer.mergeAll(base, catalogue)
  })

const guide = Effect.fnUntraced(function* (fromChainId: string, toChainId: string) {
  const { call } = yield* Accounts.opened()
  return yield* call.get_routing_guide({ fromChainId, toChainId })
})

const venues = [venueOf("cow", "local"), venueOf("jupiter", "local-solana")]

it.effect("every pair of chains has an answer, and what is not available says why", () =>
  Effect.gen(function* () {
    const { call } = yield* Accounts.opened()
    let available = 0
    for (const from of Chain.chains) {
      for (const to of Chain.chains) {
        const pair = { fromChainId: from.id, toChainId: to.id }
        const { tools, ...ends } = yield* call.get_routing_guide(pair)
        assert.deepStrictEqual(ends, pair)
        assert.deepStrictEqual(
          tools.map(({ tool }) => tool),
          from !== to
            ? ["propose_bridge", "propose_bridge"]
            : [Address.familyOf(from.id).takesApprovals ? "propose_swap" : "propose_solana_swap"]
        )
        for (const way of tools) {
          assert.strictEqual(way.available, way.reason === undefined)
          assert.strictEqual(way.available, way.tokens.length > 0)
          if (way.available) available += 1
          for (const { chainId } of way.tokens) assert.include([from.id, to.id], chainId)
        }
      }
    }
    // The swap of the chain that has two tokens, and what the scripted bridge carries both ways.
    const { routes } = (yield* Bridges)[0] ?? assert.fail()
    assert.strictEqual(available, 1 + routes.length)
  }).pipe(Effect.provide(worldWith(venues)))
)

it.effect("a swap names its flow, its tokens and how long it takes", () =>
  Effect.gen(function* () {
    const [way] = (yield* guide("local", "eip155:31337")).tools
    assert.deepInclude(way, {
      tool: "propose_swap",
      protocol: "cow",
      available: true,
      flow: "intent_swap",
      typicalSeconds: 30,
      min: null,
      max: null
    })
    assert.deepStrictEqual(
      way?.tokens.map(({ symbol }) => symbol),
      ["USDC", "GOLD"]
    )
    const [onSolana] = (yield* guide("local-solana", "local-solana")).tools
    assert.deepInclude(onSolana, {
      available: false,
      reason: "Only one token is listed on local-solana, so there is nothing to swap it for."
    })
  }).pipe(Effect.provide(worldWith(venues)))
)

it.effect("a bridge has the bounds of its table, and a flow only where it takes an allowance", () =>
  Effect.gen(function* () {
    const { protocol, routes } = (yield* Bridges)[0] ?? assert.fail()
    const route = routes[0] ?? assert.fail()
    const { tools } = yield* guide(route.from.chainId, route.to.chainId)
    const way = tools.find((each) => each.protocol === protocol)
    assert.deepInclude(way, {
      available: true,
      min: "0.001",
      max: "10000000.00",
      typicalSeconds: route.typicalSeconds,
      fees: route.fees
    })
    assert.strictEqual(way?.flow, protocol === "dln" ? "limit_order_bridge" : undefined)
  }).pipe(Effect.provide(worldWith(venues)))
)

it.effect("who does not answer is not available, and is asked again only after a while", () =>
  Effect.gen(function* () {
    const { provider } = yield* BridgeScript
    asked.isAway = true
    yield* provider("is away")
    const { routes } = (yield* Bridges)[0] ?? assert.fail()
    const route = routes[0] ?? assert.fail()
    const swap = yield* guide("local", "local")
    assert.deepInclude(swap.tools[0], {
      available: false,
      reason: "The venue cow does not respond."
    })
    const { tools } = yield* guide(route.from.chainId, route.to.chainId)
    assert.isTrue(tools.every(({ available }) => !available))
    yield* provider("answers")
    asked.isAway = false
    yield* guide("local", "local")
    assert.strictEqual(asked.count, 1)
    yield* TestClock.adjust("31 seconds")
    assert.isTrue((yield* guide("local", "local")).tools[0]?.available)
    assert.isTrue(
      (yield* guide(route.from.chainId, route.to.chainId)).tools.some((way) => way.available)
    )
  }).pipe(Effect.provide(worldWith(venues)))
)

it.effect("without a venue, or without the operation, nothing is available", () =>
  Effect.gen(function* () {
    assert.deepInclude((yield* guide("local", "local")).tools[0], {
      available: false,
      reason: "There is no venue of swaps on local."
    })
  }).pipe(Effect.provide(worldWith([])))
)
