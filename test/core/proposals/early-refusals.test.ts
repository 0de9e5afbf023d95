/** What is known to stop a transfer stops it when it is proposed; what cannot be known does not. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"

const treasury = Layer.unwrap(
  Effect.map(MemoryStore.make, (store) => Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1))
)

const ready = Effect.gen(function* () {
  const [, agent] = yield* bothFurnished
  const call = callsOf(agent.caller)
  const { recipients } = yield* call.list_recipients({})
  const propose = (amountUsdc: string) =>
    call.propose_transfer({
      recipientId: recipients[0]?.id ?? "",
      fromWalletId: agent.wallet.id,
      amountUsdc
    })
  return { wallet: agent.wallet, call, propose }
})

it.effect("while the relayer has no gas a transfer is refused, and says whom to fund", () =>
  Effect.gen(function* () {
    const { wallet, call, propose } = yield* ready
    const { fund, relayersLackGas } = yield* ChainScript
    yield* fund(wallet.address, 5_000_000n)
    yield* relayersLackGas(true)
    const refused = yield* Effect.flip(propose("5"))
    assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
    assert.include(refused.message, yield* (yield* EvmRelay).relayerAddress("local"))
    assert.lengthOf((yield* call.list_proposals({})).proposals, 0)
    yield* relayersLackGas(false)
    assert.strictEqual((yield* propose("5")).status, "pending_confirm")
  }).pipe(Effect.provide(treasury))
)

it.effect(
  "an approval is refused while the relayer has no gas, and needs no answer of a chain",
  () =>
    Effect.gen(function* () {
      const { wallet, call } = yield* ready
      const { outage, relayersLackGas } = yield* ChainScript
      const [connected] = (yield* Chains).connected
      const approve = call.propose_token_approve({
        fromWalletId: wallet.id,
        tokenAddress: connected?.usdc ?? "",
        flow: "intent_swap",
        amountSmallestUnit: "5000000"
      })
      yield* relayersLackGas(true)
      const refused = yield* Effect.flip(approve)
      assert.strictEqual(refused._tag, "UPSTREAM_UNAVAILABLE")
      assert.include(refused.message, yield* (yield* EvmRelay).relayerAddress("local"))
      yield* outage(true)
      assert.strictEqual((yield* approve).status, "pending_confirm")
    }).pipe(Effect.provide(treasury))
)

it.effect(
  "a wallet with too little is refused to the last unit, and told after who may be paid",
  () =>
    Effect.gen(function* () {
      const { wallet, call, propose } = yield* ready
      const { fund } = yield* ChainScript
      yield* fund(wallet.address, 5_000_000n)
      assert.strictEqual((yield* Effect.flip(propose("5.000001")))._tag, "INSUFFICIENT_BALANCE")
      assert.strictEqual((yield* Effect.flip(propose("1000.01")))._tag, "POLICY_LIMIT_EXCEEDED")
      assert.lengthOf((yield* call.list_proposals({})).proposals, 0)
      assert.strictEqual((yield* propose("5.000000")).status, "pending_confirm")
    }).pipe(Effect.provide(treasury))
)

it.effect("a chain that does not answer refuses nothing", () =>
  Effect.gen(function* () {
    const { propose } = yield* ready
    yield* (yield* ChainScript).outage(true)
    assert.strictEqual((yield* propose("5")).status, "pending_confirm")
  }).pipe(Effect.provide(treasury))
)
