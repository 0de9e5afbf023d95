/**
 * What the routing guide, a quote and a proposal say that a trade costs, against what real chains then take: one amount
 * at a time, through a treasury whose only bridge or venue is a real one over chains of this machine.
 */
import { Effect, Layer } from "effect"
import * as MemoryChains from "../../adapters/memory/chains.ts"
import { PriceScript } from "../../adapters/memory/prices.ts"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import { Store } from "../../adapters/memory/store.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import * as Chain from "../../core/chains/chain.ts"
import { spenders } from "../../core/chains/evm-contracts.ts"
import { type Bridge, Bridges } from "../../core/ports/bridge.ts"
import { type SwapVenue, SwapVenues } from "../../core/ports/swap-venue.ts"
import { type Listed, plain } from "../../core/tokens/token.ts"
import * as Accounts from "../support/accounts.ts"
import * as Anvil from "../support/anvil.ts"
import { cctpWorld } from "../support/cctp-world.ts"
import * as Cow from "../support/cow-venue.ts"
import { CowWorld, layer as cowLayer } from "../support/cow-world.ts"
import { dlnWorld } from "../support/dln-world.ts"

const oneUsd = 1_000_000n

/** What was said of one amount and what was taken of it, in smallest units of what arrives. */
export interface Charge {
  readonly units: bigint
  /** What the quote says arrives. */
  readonly quoted: bigint
  /** The least that the proposal lets arrive, and the least that the quote said it would. */
  readonly floor: bigint
  readonly quotedFloor: bigint
  readonly arrived: bigint
  /** Fees that the quote names, in smallest units of what is sold. */
  readonly fees: bigint
  /** The largest share that the guide names, in percent; null where it names none. */
  readonly guidePct: number | null
}

/** A way of trading one amount. */
export type Charging = (units: bigint) => Effect.Effect<Charge, unknown>

const chainOf = (id: string, usdc: string) => ({
  chain: Chain.find(id) as Chain.Chain,
  usdc,
  confirmations: 3,
  pollMs: 3_600_000
})

const plenty = 10n ** 15n

/** An account with a wallet on each chain and plenty in it, in a treasury with nothing but these ways. */
const treasury = Effect.fnUntraced(function* (
  connections: ReadonlyArray<ReturnType<typeof chainOf>>,
  ways: {
    readonly bridges?: ReadonlyArray<Bridge>
    readonly venues?: ReadonlyArray<SwapVenue>
    readonly tokens?: ReadonlyArray<Listed>
  }
) {
  const chain = ScriptedChain.makeState(connections)
  for (const { address, chainId, ...described } of ways.tokens ?? []) {
    const contract = { ...described, balances: new Map() }
    chain.scripted.get(chainId)?.others.set(address.toLowerCase() as never, contract)
  }
  const context = yield* Layer.build(
    Layer.mergeAll(
      Wiring.layer({ store: new Store(), chain }, 1, ways.tokens ?? []),
      MemoryChains.layer(chain),
      Layer.succeed(Bridges, ways.bridges ?? []),
      Layer.succeed(SwapVenues, { venues: ways.venues ?? [] })
    )
  )
  const within = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.provideContext(work, context as never) as Effect.Effect<A, E>
  const { accountId, call } = yield* within(Accounts.opened())
  const wallets = yield* within(
    Effect.forEach(connections, ({ chain: { id } }) =>
      Accounts.wallet(accountId, { chainId: id, isDefault: false })
    )
  )
  const { approve, fund } = yield* within(MemoryChains.ChainScript)
  for (const { address, chainId } of wallets) {
    yield* within(fund(address, plenty, chainId))
    for (const label of ["CoW Protocol GPv2VaultRelayer", "deBridge DlnSource"] as const) {
      const spender = spenders[label]
      yield* within(approve({ owner: address, spender, amount: plenty, chainId }))
    }
  }
  return { call, wallets, within }
})

const usd = (units: bigint) => (Number(units) / 1e6).toFixed(6)

/** Of those in the token that is sold; what is lent of the coin is paid beside it. */
const feesIn = (
  fees: ReadonlyArray<{ readonly symbol: string; readonly amount: string }>
): bigint =>
  fees.reduce((sum, { amount, symbol }) => (symbol === "USDC" ? sum + BigInt(amount) : sum), 0n)

const shareIn = (fees: string): number | null => {
  const share = /([\d.]+) %/u.exec(fees)?.[1]
  return share === undefined ? null : Number(share)
}

interface World {
  readonly one: { readonly chainId: string; readonly usdc: string }
  readonly other: { readonly chainId: string; readonly usdc: string }
}

/** The guide, a quote and a proposal of a bridge of so much. */
const bridgeSaid = Effect.fnUntraced(function* ({ one, other }: World, bridge: Bridge) {
  const connections = [chainOf(one.chainId, one.usdc), chainOf(other.chainId, other.usdc)]
  const { call, wallets, within } = yield* treasury(connections, { bridges: [bridge] })
  const [from, to] = wallets
  if (from === undefined || to === undefined) return yield* Effect.die(new Error("No wallets."))
  const { tools } = yield* within(
    call.get_routing_guide({ fromChainId: one.chainId, toChainId: other.chainId })
  )
  const way = tools.find(({ available }) => available)
  if (way === undefined) return yield* Effect.die(new Error(JSON.stringify(tools)))
  return Effect.fnUntraced(function* (units: bigint) {
    const asked = {
      ...{ fromWalletId: from.id, toWalletId: to.id, amountUsd: usd(units) },
      ...{ sellSymbol: "USDC", buySymbol: "USDC" }
    }
    const quote = yield* within(call.quote_bridge(asked))
    const tokens = { sellTokenAddress: one.usdc, buyTokenAddress: other.usdc }
    const { proposalId } = yield* within(
      call.propose_bridge({ ...asked, ...tokens, previewQuoteId: quote.quoteId })
    )
    const { terms } = yield* within(call.get_proposal_history({ proposalId }))
    yield* within(call.cancel_proposal({ proposalId }))
    return {
      guidePct: shareIn(way.fees),
      fees: feesIn(quote.fees),
      quoted: BigInt(quote.buyAmount),
      quotedFloor: BigInt(quote.minBuyAmount),
      floor: BigInt(String(terms.minBuyAmount))
    }
  })
})

const arrivedIn = <E>(received: Effect.Effect<bigint, E>, work: Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    const before = yield* received
    yield* work
    return (yield* received) - before
  })

/** By the issuer: fast, or at the usual pace, when the offers are those of that pace alone. */
export const burnt = Effect.fnUntraced(function* (pace: "fast" | "standard") {
  const world = yield* cctpWorld
  const { bridge, bring, depart, journey, received, settle } = world
  const isOfPace = ({ terms }: { readonly terms: { readonly minFinality?: unknown } }) =>
    (terms.minFinality === 1000) === (pace === "fast")
  const paced: Bridge = {
    ...bridge,
    quote: (asked) =>
      Effect.map(
        bridge.quote(asked),
        (offers) => offers.filter(isOfPace) as unknown as typeof offers
      )
  }
  const say = yield* bridgeSaid(world, paced)
  const charging: Charging = Effect.fnUntraced(function* (units) {
    const said = yield* say(units)
    const terms = { minFinality: pace === "fast" ? 1000 : 2000 }
    const one = yield* journey({ units, minBuyUnits: said.floor, terms })
    const arrived = yield* arrivedIn(
      received,
      Effect.gen(function* () {
        const txId = yield* depart(one)
        if (pace === "standard") yield* settle
        yield* bring(yield* bridge.status(one, txId))
      })
    )
    return { units, ...said, arrived }
  })
  return charging
})

/** By an order of a quote's whole amount, as an order is made. */
export const ordered = Effect.gen(function* () {
  const world = yield* dlnWorld
  const { asked, bridge, bring, depart, journey, received } = world
  const say = yield* bridgeSaid(world, bridge)
  const charging: Charging = Effect.fnUntraced(function* (units) {
    const said = yield* say(units)
    const [{ terms }] = yield* bridge.quote({ ...asked, units })
    const one = yield* journey({ units, minBuyUnits: said.quoted, terms })
    const arrived = yield* arrivedIn(
      received,
      Effect.flatMap(depart(one), () => bring({ _tag: "travelling", reason: null }))
    )
    return { units, ...said, arrived }
  })
  return charging
})

/** By the real settlement contract, for at least the floor of the proposal. */
export const settled = Effect.gen(function* () {
  const { usdc } = yield* Anvil.AnvilChain
  const { balanceOf, settleAll, weth } = yield* CowWorld
  const venue = yield* Cow.venue
  const token = {
    ...plain,
    chainId: "local",
    address: weth as never,
    symbol: "WETH",
    name: "Ether"
  }
  const { call, wallets, within } = yield* treasury([chainOf("local", usdc)], {
    venues: [venue],
    tokens: [{ ...token, decimals: 18 }]
  })
  const [from] = wallets
  if (from === undefined) return yield* Effect.die(new Error("There is no wallet."))
  const { quote: price } = yield* within(PriceScript)
  yield* within(price({ chainId: "local", address: weth.toLowerCase() as never, usd: "2500" }))
  const tokens = { sellTokenAddress: usdc, buyTokenAddress: weth }
  const charging = Effect.fnUntraced(function* (units: bigint) {
    const asked = {
      ...{ fromWalletId: from.id, amountUsd: usd(units) },
      ...{ sellSymbol: "USDC", buySymbol: "WETH" }
    }
    const guide = { fromChainId: "local", toChainId: "local" }
    const { tools } = yield* within(call.get_routing_guide(guide))
    const quote = yield* within(call.quote_swap({ ...asked, ...tokens }))
    const { proposalId } = yield* within(
      call.propose_swap({ ...asked, ...tokens, previewQuoteId: quote.quoteId })
    )
    const { terms } = yield* within(call.get_proposal_history({ proposalId }))
    yield* within(call.cancel_proposal({ proposalId }))
    const floor = BigInt(String(terms.minBuyAmount))
    const { owner } = yield* Cow.placed({ sellAmount: units, minBuyAmount: floor })
    yield* settleAll
    return {
      units,
      guidePct: shareIn(tools[0]?.fees ?? ""),
      fees: feesIn(quote.fees),
      quoted: BigInt(quote.buyAmount),
      quotedFloor: BigInt(quote.minBuyAmount),
      floor,
      arrived: yield* balanceOf(weth, owner)
    }
  })
  return charging
})

/** What `settled` runs over. */
export const builtSettling = Layer.build(cowLayer.pipe(Layer.provideMerge(Anvil.layer)))

/** From a dollar to so many, to the millionth. */
export const anAmount = (maxUsd: number): bigint =>
  oneUsd + BigInt(Math.floor(Math.random() * (maxUsd - 1) * Number(oneUsd)))
