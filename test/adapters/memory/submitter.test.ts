/** Sending on the scripted chain keeps the contract of EVM relays, and does exactly what its script says. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScriptedChains from "../../../adapters/memory/chains.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Contract from "../../contracts/evm-relay.contract.ts"
import * as Finality from "../../contracts/finality.contract.ts"
import * as Permits from "../../contracts/permits.contract.ts"
import { newState, world, worldOver } from "../../support/memory-sending-chain.ts"
import {
  assertPaidBy,
  attemptOf,
  broadcast,
  fundedAndAuthorized,
  held,
  trace
} from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

Contract.suite("memory", world)
Permits.suite("memory", world)
Finality.suite("memory", world)

const sending = { keyNumber: 1, to: addressOf("1"), amountMicro: 5n }

const script = <A>(use: (script: ScriptedChains.ChainScript["Service"]) => Effect.Effect<A>) =>
  Effect.flatMap(ScriptedChains.ChainScript, use)

it.effect("what waits and what was paid outlive the layers over the chain", () =>
  Effect.gen(function* () {
    const state = newState()
    const { authorization, attempt } = yield* Effect.gen(function* () {
      const authorization = yield* fundedAndAuthorized(sending)
      const attempt = yield* attemptOf(authorization)
      yield* broadcast(attempt)
      return { authorization, attempt }
    }).pipe(Effect.provide(worldOver(state)))
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(yield* script(({ mineBroadcasts }) => mineBroadcasts()), [
        attempt.txHash
      ])
      assertPaidBy(yield* trace(authorization, attempt), attempt)
    }).pipe(Effect.provide(worldOver(state)))
  })
)

it.effect("while the chain is congested a broadcast waits, and a forgotten one never comes", () =>
  Effect.gen(function* () {
    const { congest, dropFromMempool, mine } = yield* ScriptedChains.ChainScript
    const authorization = yield* fundedAndAuthorized(sending)
    const attempt = yield* attemptOf(authorization)
    yield* broadcast(attempt)
    yield* congest(true)
    yield* mine(2)
    assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
    yield* dropFromMempool(attempt.txHash)
    yield* congest(false)
    yield* mine(2)
    assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "pending" })
    yield* broadcast(attempt)
    yield* mine(1)
    assertPaidBy(yield* trace(authorization, attempt), attempt)
  }).pipe(Effect.provide(world))
)

it.effect("a node that refuses takes nothing, and the next time it may", () =>
  Effect.gen(function* () {
    const { mine, refuseNext } = yield* ScriptedChains.ChainScript
    const authorization = yield* fundedAndAuthorized(sending)
    const attempt = yield* attemptOf(authorization)
    yield* refuseNext()
    const refused = yield* Effect.flip(broadcast(attempt))
    assert.strictEqual(refused.reason, "inconsistent")
    yield* mine(1)
    assert.strictEqual(yield* held(sending.to), 0n)
    yield* broadcast(attempt)
    yield* mine(1)
    assert.strictEqual(yield* held(sending.to), 5n)
  }).pipe(Effect.provide(world))
)

it.effect("a signature fits nothing but what it was made for", () =>
  Effect.gen(function* () {
    const { simulate } = yield* EvmRelay
    const authorization = yield* fundedAndAuthorized(sending)
    const changed = { ...authorization, to: addressOf("2") }
    assert.deepStrictEqual(yield* simulate(changed), {
      _tag: "would_revert",
      reason: "The signature is invalid."
    })
  }).pipe(Effect.provide(world))
)

it.effect("relayers have gas until the script says otherwise", () =>
  Effect.gen(function* () {
    const { conditions } = yield* EvmRelay
    assert.isAbove(Number((yield* conditions("local")).relayerWei), 0)
    yield* script(({ relayersLackGas }) => relayersLackGas(true))
    assert.strictEqual((yield* conditions("local")).relayerWei, 0n)
  }).pipe(Effect.provide(world))
)
