/** Failovers while agents burn and order between two chains. */
import { Effect } from "effect"
import * as Dln from "../../core/chains/dln.ts"
import * as Child from "../kill/child.ts"
import type { Plot } from "../money/bridge-points.ts"
import * as BridgeScene from "../money/bridge-scene.ts"
import { inputOf, stage } from "../money/bridges.ts"
import type { Figure, Part } from "../money/part.ts"
import type { Pair } from "./servers.ts"
import { type Market, others, secondsOf, type Trade } from "./trade.ts"
import { rounds } from "./trades.ts"
import { holds, told } from "./trades-tally.ts"

/** A little more than what is forgotten in a round. */
const dailyMicro = 100_000_000n

const sumOf = (amounts: ReadonlyArray<bigint>) => amounts.reduce((sum, each) => sum + each, 0n)

const market =
  (bundle: Child.Bundle) =>
  async ({ primaryUrl }: Pair): Promise<Market> => {
    const scene = await BridgeScene.openScene(bundle, {
      url: () => primaryUrl,
      dailyTradeMicro: String(dailyMicro),
      accounts: 1 + others.length
    })
    const { accounts, chains } = scene
    const accountOf = (trader: number) => accounts[trader] as BridgeScene.Scene["account"]
    const left = async (trader: number) => {
      const { address } = accountOf(trader).from
      return [
        ...(await chains.burns(address)),
        ...(await chains.moved(chains.one, address, Dln.source))
      ]
    }
    return {
      operation: "propose_bridge",
      plots: ["minted", "filled"],
      directory: scene.directory,
      chains: 2,
      start: async (databaseUrl, offsetMs) => {
        const replica = await scene.start({ databaseUrl, offsetMs })
        return {
          call: (trader, name, input, key) =>
            BridgeScene.called({ account: accountOf(trader) }, replica, name, input, key),
          clock: async (ms) => void (await replica.ask({ ask: "clock", offsetMs: ms })),
          stop: async () => void (await replica.child.stop())
        }
      },
      inputOf: (cents, trader) => inputOf({ account: accountOf(trader), chains }, cents),
      stage: (plot) => stage(scene, plot as Plot),
      passes: chains.passes,
      times: async () => {
        const latest = [chains.one, chains.other].map(({ anvil }) =>
          Effect.runPromise(anvil.call("eth_getBlockByNumber", "latest", false))
        )
        return (await Promise.all(latest)).map(secondsOf)
      },
      cap: { dailyMicro, sold: async () => sumOf(await left(0)) },
      // Whichever way it went.
      timesOf: async ({ cents, trader }: Trade) => {
        const amount = BigInt(cents) * 10_000n
        return (await left(trader)).filter((each) => each === amount).length
      },
      close: scene.close
    }
  }

export const part: Part = {
  name: "bridges",
  promise:
    "a promoted standby that lacks the newest commits burns and orders nothing twice, and sells no more than the cap of the day",
  run: async ({ say, times }): Promise<ReadonlyArray<Figure>> => {
    const bundle = await Child.bundle("test/money/bridge-service.ts")
    try {
      const tally = await rounds(market(bundle), times(50, 1), say)
      const what =
        "a standby without the newest burns and orders was promoted, agents repeated their calls and asked for the rest of the day's cap on trades"
      return [{ invariant: "failover", what, seen: told(tally), holds: holds(tally) }]
    } finally {
      bundle.remove()
    }
  }
}
