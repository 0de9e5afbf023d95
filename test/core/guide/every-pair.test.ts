/**
 * The routing guide against the operations it speaks of, over every pair of chains there is: what it calls available is
 * quoted and proposed, and what it does not is refused by both, alike and in its words.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as Address from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { usdc } from "../../../core/chains/usdc.ts"
import { Bridges } from "../../../core/ports/bridge.ts"
import { Chains } from "../../../core/ports/chains.ts"
import * as Pinned from "../../../core/tokens/pinned.ts"
import { everywhere, layer, type Script, unconnected } from "../../support/whole-chain-table.ts"

type Place = Effect.Success<typeof everywhere>
type Guide = Effect.Success<ReturnType<Place["call"]["get_routing_guide"]>>
type Way = Guide["tools"][number]

const amountUsd = "25.00"

interface Outcome {
  readonly accepted: string | undefined
  readonly code: string
  readonly message: string
}

/** What became of a call: accepted, by which protocol or as what, or refused. */
const outcomeOf = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.match(call, {
    onSuccess: (answer): Outcome => {
      const { kind, protocol } = answer as { readonly kind?: string; readonly protocol?: string }
      return { accepted: protocol ?? kind ?? "yes", code: "", message: "" }
    },
    onFailure: (failed): Outcome => {
      const { _tag, message } = failed as { readonly _tag: string; readonly message: string }
      return { accepted: undefined, code: _tag, message }
    }
  })

const start = (reason: string | undefined) => (reason ?? "-").replace(/\.$/u, "")

const isSaid = (ways: ReadonlyArray<Way>, { message }: Outcome) =>
  ways.some(({ reason }) => message.startsWith(start(reason)))

/** Both are as the guide says, or the sentence that says where they are not. */
const disagreement = (ways: ReadonlyArray<Way>, quoted: Outcome, proposed: Outcome) => {
  const open = ways.filter(({ available }) => available)
  if (open.length > 0) {
    const isQuoted = open.some(({ protocol }) => protocol === quoted.accepted)
    return isQuoted && proposed.accepted !== undefined ? undefined : { open, quoted, proposed }
  }
  const isAlike = quoted.accepted === undefined && quoted.code === proposed.code
  const isRefused = isAlike && isSaid(ways, quoted) && isSaid(ways, proposed)
  return isRefused ? undefined : { ways: ways.map(({ reason }) => reason), quoted, proposed }
}

const usdcOn = Effect.fnUntraced(function* (chainId: string) {
  const { connected } = yield* Chains
  return connected.find(({ chain }) => chain.id === chainId)?.usdc ?? String(usdc[chainId])
})

const bridged = Effect.fnUntraced(function* ({ at, call }: Place, from: string, to: string) {
  const asked = {
    ...{ fromWalletId: at(from).walletId, toWalletId: at(to).walletId },
    ...{ sellSymbol: "USDC", buySymbol: "USDC", amountUsd }
  }
  const tokens = { sellTokenAddress: yield* usdcOn(from), buyTokenAddress: yield* usdcOn(to) }
  const quoted = yield* outcomeOf(call.quote_bridge(asked))
  const proposed = yield* outcomeOf(call.propose_bridge({ ...asked, ...tokens }))
  return { quoted, proposed }
})

/** A token beside USDC, or one that is nowhere. */
const otherOn = Effect.fnUntraced(function* (chainId: string) {
  const other = (yield* Pinned.on(chainId))?.find(({ isUsdc }) => !isUsdc)
  if (other === undefined) return { symbol: "WETH", tokenAddress: yield* usdcOn(chainId) }
  return { symbol: other.symbol, tokenAddress: Address.shown(chainId, other.address) }
})

const swapped = Effect.fnUntraced(function* ({ at, call }: Place, on: string, way: Way) {
  const { walletId } = at(on)
  const buy = yield* otherOn(on)
  const asked = { fromWalletId: walletId, sellSymbol: "USDC", buySymbol: buy.symbol, amountUsd }
  const quoted = yield* outcomeOf(call.quote_swap(asked))
  const proposed =
    way.tool === "propose_swap"
      ? call.propose_swap({
          ...asked,
          ...{ sellTokenAddress: yield* usdcOn(on), buyTokenAddress: buy.tokenAddress }
        })
      : call.propose_solana_swap({
          ...asked,
          ...{ toWalletId: walletId, sellMint: yield* usdcOn(on), buyMint: buy.tokenAddress }
        })
  return { quoted, proposed: yield* outcomeOf(proposed) }
})

/** The flow that a way names can be checked and approved. */
const unapproved = Effect.fnUntraced(function* ({ at, call }: Place, from: string, way: Way) {
  if (way.flow === undefined) return []
  const { flow } = way
  const asked = { fromWalletId: at(from).walletId, tokenAddress: yield* usdcOn(from), flow }
  const checked = yield* outcomeOf(
    call.check_allowance({ ...asked, requiredAmountSmallest: "25000000" })
  )
  const approved = yield* outcomeOf(
    call.propose_token_approve({ ...asked, amountSmallestUnit: "25000000" })
  )
  return [checked, approved].filter(({ accepted }) => accepted === undefined)
})

interface Difference {
  readonly from: string
  readonly to: string
  readonly flow?: string
  readonly said: unknown
}

interface Walked {
  readonly available: ReadonlyArray<string>
  readonly differ: ReadonlyArray<Difference>
}

const walk = Effect.fnUntraced(function* (chains: ReadonlyArray<string>) {
  const place = yield* everywhere
  const available: Array<string> = []
  const differ: Array<Difference> = []
  for (const from of chains) {
    for (const to of chains) {
      const { tools } = yield* place.call.get_routing_guide({ fromChainId: from, toChainId: to })
      const [first] = tools
      if (first === undefined) return assert.fail(`${from} ${to}`)
      const { proposed, quoted } =
        from === to ? yield* swapped(place, from, first) : yield* bridged(place, from, to)
      const said = disagreement(tools, quoted, proposed)
      if (said !== undefined) differ.push({ from, to, said })
      for (const way of tools) {
        const said = yield* unapproved(place, from, way)
        if (said.length > 0) differ.push({ from, to, flow: way.flow ?? "", said })
        if (way.available) available.push(`${way.protocol} ${from} ${to}`)
      }
    }
  }
  return { available, differ } satisfies Walked as Walked
})

const everyChain = Chain.chains.map(({ id }) => id)

const script = (over: Partial<Script> = {}): Script => ({
  away: new Set(),
  empty: new Set(),
  ...over
})

it.effect("what the guide calls available is quoted and proposed, and the rest refused alike", () =>
  Effect.gen(function* () {
    const { available, differ } = yield* walk(everyChain)
    assert.deepStrictEqual(differ, [])
    const of = (protocol: string) =>
      available.filter((way) => way.startsWith(`${protocol} `)).length
    assert.deepStrictEqual(
      { cctp: of("cctp"), dln: of("dln"), cow: of("cow"), jupiter: of("jupiter") },
      // Six main chains, four test chains that are connected and two local ones; the Solana without a table has none.
      { cctp: 6 * 5 + 4 * 3 + 2, dln: 5 * 4 + 2, cow: 4, jupiter: 2 }
    )
  }).pipe(Effect.provide(layer(script())))
)

const few = ["ethereum", "base", "polygon", "local", "local-2", "solana"]

it.effect("a bridge that does not respond is neither offered nor taken, and the other is", () =>
  Effect.gen(function* () {
    const { available, differ } = yield* walk(few)
    assert.deepStrictEqual(differ, [])
    assert.isTrue(available.some((way) => way.startsWith("dln ")))
    assert.isFalse(available.some((way) => way.startsWith("cctp ")))
  }).pipe(Effect.provide(layer(script({ away: new Set(["cctp"]) }))))
)

it.effect("while nobody responds, or nobody has a way, all is refused as the guide says", () =>
  Effect.gen(function* () {
    for (const how of ["away", "empty"] as const) {
      const all = script({ [how]: new Set(["cctp", "dln", "cow", "jupiter"]) })
      const walked = yield* Effect.provide(walk(few), layer(all))
      assert.deepStrictEqual(walked, { available: [], differ: [] }, how)
    }
  })
)

it.effect("a relayer that cannot pay at either end is told by the guide and by the refusal", () =>
  Effect.gen(function* () {
    const { relayersLackGas } = yield* ChainScript
    yield* relayersLackGas(true, "base")
    const { available, differ } = yield* walk(few)
    // A standing allowance is enough for an order; a new one takes the relayer.
    assert.deepStrictEqual(
      differ.map(({ flow, from, to }) => ({ flow, from, to })),
      [{ flow: "intent_swap", from: "base", to: "base" }]
    )
    const burns = available.filter((way) => way.startsWith("cctp "))
    assert.isTrue(burns.includes("cctp ethereum polygon"))
    assert.isFalse(burns.some((way) => way.includes("base")))
  }).pipe(Effect.provide(layer(script())))
)

it.effect(
  "sends and yields are there on the chains that the guide knows as connected, and nowhere else",
  () =>
    Effect.gen(function* () {
      const { at, call } = yield* everywhere
      for (const chainId of everyChain) {
        const { tools } = yield* call.get_routing_guide({
          fromChainId: chainId,
          toChainId: chainId
        })
        const { recipientId, walletId } = at(chainId)
        const sent = yield* outcomeOf(
          call.propose_transfer({ fromWalletId: walletId, recipientId, amountUsdc: "10.00" })
        )
        const markets = yield* outcomeOf(call.list_yield_markets({ chainId }))
        for (const outcome of [sent, markets]) {
          if (unconnected.includes(chainId)) {
            assert.strictEqual(outcome.code, "UNSUPPORTED_CHAIN", chainId)
            assert.isTrue(isSaid(tools, outcome), `${chainId}: ${outcome.message}`)
          } else assert.isDefined(outcome.accepted, `${chainId}: ${outcome.message}`)
        }
      }
    }).pipe(Effect.provide(layer(script())))
)

it.effect("a quote whose bridge is gone since is refused as expired, and is no fault of ours", () =>
  Effect.gen(function* () {
    const { at, call } = yield* everywhere
    const asked = {
      ...{ fromWalletId: at("ethereum").walletId, toWalletId: at("base").walletId },
      ...{ sellSymbol: "USDC", buySymbol: "USDC", amountUsd }
    }
    const tokens = {
      sellTokenAddress: yield* usdcOn("ethereum"),
      buyTokenAddress: yield* usdcOn("base")
    }
    const { protocol, quoteId } = yield* call.quote_bridge(asked)
    const without = (yield* Bridges).filter((bridge) => bridge.protocol !== protocol)
    const proposed = call.propose_bridge({ ...asked, ...tokens, previewQuoteId: quoteId })
    const told = yield* outcomeOf(Effect.provideService(proposed, Bridges, without))
    assert.strictEqual(told.code, "QUOTE_EXPIRED", told.message)
    assert.strictEqual((yield* outcomeOf(proposed)).accepted, "bridge")
  }).pipe(Effect.provide(layer(script())))
)
