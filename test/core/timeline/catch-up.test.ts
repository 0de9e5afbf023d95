/** A process that lives through several waits: each ends by blocks of its own, and none by those of an earlier one. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Ref } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { type Block, Chains } from "../../../core/ports/chains.ts"
import { type Line, type Standing, Timeline } from "../../../core/timeline/timeline.ts"
import { catchUpOnce, longestSeconds } from "../../../core/treasury/catch-up.ts"
import * as Value from "../../support/chain-values.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"

const chainId = "local"
const beginning = 1_900_000_000

const blockAt = (seconds: number): Block => ({
  number: seconds - beginning + 1,
  hash: `block at ${seconds}`,
  timestamp: DateTime.makeUnsafe(seconds * 1000)
})

it.effect("a second wait of one process ends like the first", () =>
  Effect.gen(function* () {
    let newest = blockAt(beginning)
    let line: Line | undefined
    const hold = (number: number, since: number) => {
      const begunAt = DateTime.formatIso(DateTime.makeUnsafe(since * 1000))
      line = {
        number,
        server: "one",
        begunAt,
        keyStore: null,
        held: { since: { [chainId]: since } }
      }
    }
    const chains = Layer.mock(Chains)({
      connected: [
        {
          chain: Chain.find(chainId) as Chain.Chain,
          usdc: Value.key(`0x${"a1".repeat(20)}`),
          confirmations: 1,
          pollMs: 50
        }
      ],
      newestFinal: () => Effect.sync(() => newest),
      finality: () => Effect.succeed("finalized" as const)
    })
    const timeline = Layer.succeed(Timeline, {
      look: Effect.sync(
        (): Standing =>
          line === undefined || line.held === null ? { _tag: "open" } : { _tag: "held", line }
      ),
      write: (_from, to) =>
        Effect.sync(() => {
          line = to
          return true
        }),
      keep: () => Effect.void
    })
    const marks = yield* Ref.make<ReadonlyMap<string, Block>>(new Map())
    const turn = catchUpOnce(marks).pipe(Effect.provide([chains, timeline]))
    for (const [number, since] of [
      [2, beginning],
      [3, beginning + 50_000]
    ] as const) {
      hold(number, since)
      newest = blockAt(since + longestSeconds - 1)
      yield* turn
      assert.isNotNull(line?.held, `line ${number} waits for what was signed before`)
      newest = blockAt(since + longestSeconds)
      yield* turn
      assert.isNull(line?.held, `line ${number} sends again`)
    }
  }).pipe(Effect.provide(Layer.mergeAll(world, Memory.layer(), registries)))
)
