/** Failovers while agents swap by orders, which a solver fills whoever remembers them. */
import * as Child from "../kill/child.ts"
import type { Figure, Part } from "../money/part.ts"
import * as SwapScene from "../money/swap-scene.ts"
import { inputOf } from "../money/swaps.ts"
import type { Pair } from "./servers.ts"
import { type Market, others, secondsOf, type Trade } from "./trade.ts"
import { rounds } from "./trades.ts"
import { holds, told } from "./trades-tally.ts"

/** As often as on many chains; no faster than time passes for the processes. */
const blockMs = 1_000

const market =
  (bundle: Child.Bundle) =>
  async ({ primaryUrl }: Pair): Promise<Market> => {
    const scene = await SwapScene.openScene(bundle, "fair", {
      url: primaryUrl,
      accounts: 1 + others.length
    })
    const { accounts, chain } = scene
    const accountOf = (trader: number) => accounts[trader] as SwapScene.Scene["account"]
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
          call: (trader, name, input, key) =>
            SwapScene.called({ account: accountOf(trader) }, replica, name, input, key),
          clock: async (ms) => void (await replica.ask({ ask: "clock", offsetMs: ms })),
          stop: async () => void (await replica.child.stop())
        }
      },
      inputOf: (cents, trader) => inputOf({ account: accountOf(trader), chain }, cents),
      stage: async () => undefined,
      passes: async (seconds) => {
        await chain.call("evm_increaseTime", seconds)
        await chain.call("anvil_mine", 5)
      },
      times: async () => [secondsOf(await chain.call("eth_getBlockByNumber", "latest", false))],
      timesOf: async ({ cents, trader }: Trade) => {
        const amount = BigInt(cents) * 10_000n
        const trades = await chain.tradesOf(accountOf(trader).address)
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
