/** Nothing is allowed where nobody takes it: without a venue of its flow an approval is refused, and taken back all the same. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Bridges } from "../../../core/ports/bridge.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { SwapVenues } from "../../../core/ports/swap-venue.ts"
import * as Spender from "../../../core/trade/spender.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { ordersFrom } from "../../support/orders-offered.ts"

const treasury = Layer.unwrap(
  Effect.map(MemoryStore.make, (store) => Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1))
)

const ready = Effect.gen(function* () {
  const [, agent] = yield* bothFurnished
  const call = callsOf(agent.caller)
  const [connected] = (yield* Chains).connected
  const subject = { fromWalletId: agent.wallet.id, tokenAddress: connected?.usdc ?? "" }
  const propose = (flow: "intent_swap" | "limit_order_bridge", amountSmallestUnit = "5000000") =>
    call.propose_token_approve({ ...subject, flow, amountSmallestUnit })
  return { call, propose, subject }
})

const without = Effect.provideService(SwapVenues, { venues: [] })

it.effect(
  "a chain without a venue of swaps has no approvals for swaps, but for taking them back",
  () =>
    Effect.gen(function* () {
      const { call, propose, subject } = yield* ready
      const refused = yield* Effect.flip(without(propose("intent_swap")))
      assert.strictEqual(refused._tag, "UNSUPPORTED_CHAIN")
      assert.match(refused.message, /has no venue of swaps on local/u)
      assert.deepInclude(refused, { param: "flow", details: { supported: [] } })
      const required = { ...subject, flow: "intent_swap", requiredAmountSmallest: "5" } as const
      assert.notProperty(yield* without(call.check_allowance(required)), "next")
      assert.lengthOf((yield* call.list_proposals({})).proposals, 0)
      assert.strictEqual((yield* without(propose("intent_swap", "0"))).status, "pending_confirm")
      assert.property(yield* call.check_allowance(required), "next")
      assert.strictEqual((yield* propose("intent_swap")).status, "pending_confirm")
    }).pipe(Effect.provide(treasury))
)

it.effect("a chain that no limit order leaves has no approvals for limit orders", () =>
  Effect.gen(function* () {
    const { propose } = yield* ready
    const proposing = propose("limit_order_bridge")
    const refused = yield* Effect.flip(proposing)
    assert.strictEqual(refused._tag, "UNSUPPORTED_CHAIN")
    assert.match(refused.message, /no bridge by limit orders on local/u)
    const elsewhere = [ordersFrom("local-2")]
    const other = yield* Effect.flip(Effect.provideService(proposing, Bridges, elsewhere))
    assert.match(other.message, /use a wallet on one of: local-2/u)
    const offered = yield* Effect.provideService(proposing, Bridges, [ordersFrom("local")])
    assert.strictEqual(offered.status, "pending_confirm")
  }).pipe(Effect.provide(treasury))
)

it.effect(
  "a chain that a flow is never on is refused with the connected chains that it is on",
  () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Spender.of("intent_swap", "optimism"))
      assert.match(refused.message, /not available on optimism; use a wallet on one of: local\.$/u)
      assert.deepStrictEqual(refused.details, { supported: ["local"] })
      const { connected, ...chains } = yield* Chains
      const alone = Effect.provideService(Spender.of("intent_swap", "optimism"), Chains, {
        ...chains,
        connected: connected.filter(({ chain }) => chain.id === "nowhere")
      })
      assert.match((yield* Effect.flip(alone)).message, /ask the operator/u)
    }).pipe(Effect.provide(treasury))
)
