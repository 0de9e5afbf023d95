/** Failovers while agents swap by orders, which a solver fills whoever remembers them. */
import * as Child from "../kill/child.ts"
import type { Figure, Part } from "../money/part.ts"
import * as SwapScene from "../money/swap-scene.ts"
import { inputOf } from "../money/swaps.ts"
import type { Pair } from "./servers.ts"
import { holds, type Market, rounds, type Trade, timeOf, told } from "./trades.ts"

/** As often as on many chains; no faster than time passes for the processes. */
const blockMs = 1_000

const market =
  (bundle: Child.Bundle) =>
  async ({ primaryUrl }: Pair): Promise<Market> => {
    const scene = await SwapScene.openScene(bundle, "fair", { url: primaryUrl })
    const { account, chain } = scene
    const mining = setInterval(
      () => void chain.call("anvil_mine", 1).catch(() => undefined),
      blockMs
    )
    return {
      operation: "propose_swap",
      plots: ["filled"],
      directory: scene.directory,
      chains: 1,
      start: async (databaseUrl, offsetMs) => {
        const replica = await scene.start({ databaseUrl, offsetMs })
        return {
          call: (name, input, key) => SwapScene.called(scene, replica, name, input, key),
          clock: async (ms) => void (await replica.ask({ ask: "clock", offsetMs: ms })),
          stop: async () => void (await replica.child.stop())
        }
      },
      inputOf: (cents) => inputOf(scene, cents),
      stage: async () => undefined,
      passes: async (seconds) => {
        await chain.call("evm_increaseTime", seconds)
        await chain.call("anvil_mine", 5)
      },
      now: async () => timeOf(await chain.call("eth_getBlockByNumber", "latest", false)),
      timesOf: async ({ cents }: Trade) => {
        const amount = BigInt(cents) * 10_000n
        const trades = await chain.tradesOf(account.address)
        return trades.filter(({ sold }) => sold === amount).length
      },
      close: async () => {
        clearInterval(mining)
        await scene.close()
      }
    }
  }

export const part: Part = {
  name: "swaps",
  promise: "a promoted standby that lacks the newest commits sells nothing twice by an order",
  run: async ({ say, times }): Promise<ReadonlyArray<Figure>> => {
    const bundle = await Child.bundle("test/money/swap-service.ts")
    try {
      const tally = await rounds(market(bundle), times(50, 1), say)
      const what =
        "a standby without the newest swaps was promoted, agents repeated their calls; caps are not checked here"
      return [{ invariant: "failover", what, seen: told(tally), holds: holds(tally) }]
    } finally {
      bundle.remove()
    }
  }
}
