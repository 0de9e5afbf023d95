/** A service does not start for a token that signs otherwise than it says; a silent chain stops nothing. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import { proven } from "../../../apps/server/proven.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { ChainUnavailable } from "../../../core/ports/chains.ts"

const parts = Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1)

const startOn = (tokenName: EvmRelay["Service"]["tokenName"]) => {
  const told = Layer.effect(
    EvmRelay,
    Effect.map(EvmRelay, (payouts) => ({ ...payouts, tokenName }))
  )
  const world = Layer.provideMerge(told, parts)
  return Effect.scoped(Layer.build(Layer.provide(proven, world)))
}

const unavailable = (reason: ChainUnavailable["reason"]) => () =>
  Effect.fail(new ChainUnavailable({ chainId: "local", reason, detail: "it says so" }))

it.effect("a token that proves its name lets the service start, and so does a silent chain", () =>
  Effect.gen(function* () {
    yield* startOn(() => Effect.succeed({ name: "USD Coin", version: "2" }))
    yield* startOn(unavailable("unreachable"))
  })
)

it.effect("a token that signs under another name stops the start with a sentence", () =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(startOn(unavailable("wrong_chain")))
    assert.strictEqual(refused._tag, "SettingRefused")
    assert.include(refused.message, "The node of local serves something else")
  })
)
