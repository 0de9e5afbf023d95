/** Failovers while agents burn and order between two chains. */
import { Effect } from "effect"
import * as Dln from "../../core/chains/dln.ts"
import * as Child from "../kill/child.ts"
import type { Plot } from "../money/bridge-points.ts"
import * as BridgeScene from "../money/bridge-scene.ts"
import { inputOf, stage } from "../money/bridges.ts"
import type { Figure, Part } from "../money/part.ts"
import type { Pair } from "./servers.ts"
import { holds, type Market, rounds, type Trade, timeOf, told } from "./trades.ts"

/** A little more than what is forgotten in a round. */
const dailyMicro = 100_000_000n

const sumOf = (amounts: ReadonlyArray<bigint>) => amounts.reduce((sum, each) => sum + each, 0n)

const market =
  (bundle: Child.Bundle) =>
  async ({ primaryUrl }: Pair): Promise<Market> => {
    const scene = await BridgeScene.openScene(bundle, {
      url: () => primaryUrl,
      dailyTradeMicro: String(dailyMicro)
    })
    const { account, chains } = scene
    const burnt = () => chains.burns(account.from.address)
    const ordered = () => chains.moved(chains.one, account.from.address, Dln.source)
    return {
      operation: "propose_bridge",
      plots: ["minted", "filled"],
      directory: scene.directory,
      chains: 2,
      start: async (databaseUrl, offsetMs) => {
        const replica = await scene.start({ databaseUrl, offsetMs })
        return {
          call: (name, input, key) => BridgeScene.called(scene, replica, name, input, key),
          clock: async (ms) => void (await replica.ask({ ask: "clock", offsetMs: ms })),
          stop: async () => void (await replica.child.stop())
        }
      },
      inputOf: (cents) => inputOf(scene, cents),
      stage: (plot) => stage(scene, plot as Plot),
      passes: chains.passes,
      now: async () => {
        const latest = [chains.one, chains.other].map(({ anvil }) =>
          Effect.runPromise(anvil.call("eth_getBlockByNumber", "latest", false))
        )
        return Math.min(...(await Promise.all(latest)).map(timeOf))
      },
      cap: { dailyMicro, sold: async () => sumOf([...(await burnt()), ...(await ordered())]) },
      timesOf: async ({ cents, plot }: Trade) => {
        const amount = BigInt(cents) * 10_000n
        const left = await (plot === "minted" ? burnt() : ordered())
        return left.filter((each) => each === amount).length
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
