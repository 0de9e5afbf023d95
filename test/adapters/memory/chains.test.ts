/** The scripted chain keeps the contract of chains, and does exactly what its script says. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as ScriptedChains from "../../../adapters/memory/chains.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { Chains } from "../../../core/ports/chains.ts"
import * as Reorganisations from "../../contracts/chain-reorganisations.contract.ts"
import * as Contract from "../../contracts/chains.contract.ts"
import * as Value from "../../support/chain-values.ts"
import { evm, standing, World } from "../../support/watched-chain.ts"

const connectedTo = (chainId: string): ScriptedChain.Connection => {
  const chain = Chain.find(chainId)
  if (chain === undefined) throw new Error(`There is no chain ${chainId}.`)
  return { chain, usdc: `0x${"C0".repeat(20)}`, confirmations: 3, pollMs: 1000 }
}

const newState = () => ScriptedChain.makeState([connectedTo("local"), connectedTo("base")])

const base = Layer.effect(
  World,
  Effect.gen(function* () {
    const script = yield* ScriptedChains.ChainScript
    const { tip } = yield* Chains
    return {
      ...evm,
      chainId: "local",
      payer: Value.key(ScriptedChains.faucet),
      pay: (to: string, amountMicro: bigint) => script.pay({ to, amountMicro }),
      mine: script.mine,
      reorg: standing(tip("local"), (depth: number, keep: ReadonlyArray<string>) =>
        script.reorg(depth, { keep })
      ),
      rollBack: standing(tip("local"), (depth: number) => script.reorg(depth, { newBlocks: 0 })),
      outage: script.outage
    }
  })
)

const world = Layer.unwrap(
  Effect.sync(() => Layer.provideMerge(base, ScriptedChains.layer(newState())))
)
Contract.suite("memory", world)
Reorganisations.suite("memory", world)

const play = (script: (script: ScriptedChains.ChainScript["Service"]) => Effect.Effect<void>) =>
  Effect.flatMap(ScriptedChains.ChainScript, script)

const tipOf = (chainId: string) => Effect.flatMap(Chains, ({ tip }) => tip(chainId))

it.effect("the chain outlives the layers over it", () =>
  Effect.gen(function* () {
    const state = newState()
    const once = ScriptedChains.layer(state)
    yield* play((script) => Effect.asVoid(script.pay({ to: "0xAb", amountMicro: 4n }))).pipe(
      Effect.provide(once)
    )
    const again = ScriptedChains.layer(state)
    const tip = yield* Effect.provide(tipOf("local"), again)
    assert.strictEqual(tip.number, 1)
    const held = yield* Effect.provide(
      Effect.flatMap(ScriptedChains.ChainScript, ({ balanceOf }) => balanceOf("0xaB")),
      again
    )
    assert.strictEqual(held, 4n)
  })
)

it.effect("two scripts that say the same make the same chain", () =>
  Effect.gen(function* () {
    const told = play((script) =>
      Effect.gen(function* () {
        const txHash = yield* script.pay({ to: "0xab", amountMicro: 4n })
        yield* script.mine(2)
        yield* script.reorg(3, { keep: [txHash] })
      })
    )
    const [one, other] = [newState(), newState()]
    yield* Effect.provide(told, ScriptedChains.layer(one))
    yield* Effect.provide(told, ScriptedChains.layer(other))
    assert.deepStrictEqual(one, other)
  })
)

it.effect("blocks carry the clock's time, moved on by the script, never back", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("10 seconds")
    const script = yield* ScriptedChains.ChainScript
    yield* script.mine(1)
    const first = yield* tipOf("local")
    assert.strictEqual(first.timestamp.epochMilliseconds, 10_000)
    yield* script.timePasses(60)
    const second = yield* tipOf("local")
    assert.strictEqual(second.timestamp.epochMilliseconds, 70_000)
    yield* script.timePasses(-30)
    const third = yield* tipOf("local")
    assert.strictEqual(third.timestamp.epochMilliseconds, 70_000)
  }).pipe(Effect.provide(ScriptedChains.layer(newState())))
)

it.effect("what happens on one chain does not happen on another", () =>
  Effect.gen(function* () {
    const script = yield* ScriptedChains.ChainScript
    yield* script.pay({ to: "0xab", amountMicro: 4n, chainId: "base" })
    yield* script.outage(true, "local")
    assert.strictEqual((yield* tipOf("base")).number, 1)
    assert.strictEqual(yield* script.balanceOf("0xab", "local"), 0n)
    const refused = yield* Effect.flip(tipOf("local"))
    assert.strictEqual(refused.reason, "unreachable")
  }).pipe(Effect.provide(ScriptedChains.layer(newState())))
)

it.effect("money that moves on is no longer held", () =>
  Effect.gen(function* () {
    const script = yield* ScriptedChains.ChainScript
    yield* script.pay({ to: "0xab", amountMicro: 10n })
    yield* script.pay({ from: "0xab", to: "0xcd", amountMicro: 4n })
    assert.strictEqual(yield* script.balanceOf("0xab"), 6n)
    assert.strictEqual(yield* script.balanceOf("0xcd"), 4n)
  }).pipe(Effect.provide(ScriptedChains.layer(newState())))
)
