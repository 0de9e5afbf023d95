/** The block that a wait is to end with, which waits for finality: processes share it, and one that is started goes on with it. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { type Block, Chains } from "../../../core/ports/chains.ts"
import { begun, type Line, type Standing, Timeline } from "../../../core/timeline/timeline.ts"
import { catchUpOnce } from "../../../core/treasury/catch-up.ts"
import { longestSeconds, newProgress } from "../../../core/treasury/chain-steps.ts"
import "../../../core/treasury/submitters.ts"
import * as Value from "../../support/chain-values.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"

const chainId = "local"
const usdc = Value.key(`0x${"a1".repeat(20)}`)
const surroundings = Layer.mergeAll(world, Memory.layer(), registries)
const beginning = 1_900_000_000

const blockAt = (seconds: number): Block => ({
  number: seconds - beginning + 1,
  hash: `block at ${seconds}`,
  timestamp: DateTime.makeUnsafe(seconds * 1000)
})

it.effect(
  "a process that is started while a block waits for finality goes on with that block",
  () =>
    Effect.gen(function* () {
      let newest = blockAt(beginning + longestSeconds)
      let finalized = 0
      const isDropped = new Set<string>()
      let line: Line = {
        number: 2,
        server: "one",
        begunAt: DateTime.formatIso(DateTime.makeUnsafe(beginning * 1000)),
        keyStore: null,
        held: { ...begun, since: { [chainId]: beginning } }
      }
      const chains = Layer.mock(Chains)({
        connected: [
          { chain: Chain.find(chainId) as Chain.Chain, usdc, confirmations: 1, pollMs: 50 }
        ],
        newestFinal: () => Effect.sync(() => newest),
        finality: (_, { hash, number }) =>
          Effect.sync(() => {
            if (number > finalized) return "pending" as const
            return isDropped.has(hash) ? ("dropped" as const) : ("finalized" as const)
          })
      })
      const timeline = Layer.succeed(Timeline, {
        look: Effect.sync((): Standing => ({ _tag: "held", line })),
        write: (from, to) =>
          Effect.sync(() => {
            if (from !== line) return false
            line = to
            return true
          }),
        keep: () => Effect.void
      })
      const started = Effect.map(newProgress("each"), (progress) =>
        catchUpOnce(progress).pipe(Effect.provide([chains, timeline]))
      )
      const through = () => line.held?.read[chainId]?.through.number
      const mark = () => line.held?.marks?.[chainId]?.number
      const [one, other] = [yield* started, yield* started]
      for (const turn of [one, one, other, one]) yield* turn
      const kept = newest.number
      assert.strictEqual(mark(), kept)
      newest = blockAt(beginning + longestSeconds + 600)
      isDropped.add(blockAt(beginning + longestSeconds).hash)
      finalized = kept
      for (const turn of [one, other, one]) yield* turn
      assert.strictEqual(mark(), newest.number, "another is waited for where the first was dropped")
      assert.isUndefined(through())
      const awaited = newest.number
      newest = blockAt(beginning + longestSeconds + 1200)
      finalized = awaited
      yield* yield* started
      assert.strictEqual(through(), awaited)
    }).pipe(Effect.provide(surroundings))
)
