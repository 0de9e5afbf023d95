/**
 * Fifty confirmations at once, over two processes that race for the relayer's nonces, some of them sends
 * that the token refuses: all of them end, and the relayer's nonces have no gap.
 */
import { until } from "../kill/scene.ts"
import type { Figure, Part } from "./part.ts"
import {
  data,
  drained,
  inScene,
  type Replica,
  refusedPayee,
  type Scene,
  surfaces
} from "./scene.ts"
import { holds, told, verdict } from "./verdict.ts"

const sends = 50
/** Every so manieth is refused by the token. */
const refusedEach = 10

/** Fifty at once; seconds until all have ended. */
const once = async (scene: Scene, services: ReadonlyArray<Replica>): Promise<number> => {
  const { agentKeys, recipientIds, walletId } = scene.account
  const service = (at: number) => services[at % services.length] as Replica
  const proposals = await Promise.all(
    Array.from({ length: sends }, async (_, at) => {
      const place = at % refusedEach === refusedEach / 2 ? refusedPayee : at % refusedPayee
      const proposed = await service(at).call("functions", agentKeys[0], "propose_transfer", {
        recipientId: recipientIds[place],
        fromWalletId: walletId,
        amountUsdc: "1.25"
      })
      return data(proposed).proposalId as string
    })
  )
  const startedAt = performance.now()
  await Promise.all(
    proposals.map(async (proposalId, at) => {
      const surface = surfaces[at % surfaces.length] ?? "REST"
      const key = agentKeys[at % 2] as string
      data(await service(at).call(surface, key, "confirm_proposal", { proposalId }))
    })
  )
  await drained(scene)
  return (performance.now() - startedAt) / 1000
}

const rounds = async (scene: Scene, times: number, what: string): Promise<Figure> => {
  const services = [await scene.start(), await scene.start()]
  const seconds: Array<number> = []
  for (let round = 0; round < times; round++) seconds.push(await once(scene, services))
  const { database, chain } = scene
  const relayer = await services[0]?.ask({ ask: "relayer" })
  // The chain has taken every nonce the records gave, and no more.
  const given = await database.noncesGiven()
  await until("the chain counts as many", async () =>
    Number(await chain.call("eth_getTransactionCount", relayer, "latest")) === given
      ? true
      : undefined
  )
  const gaps = await database.nonceGaps()
  const failed = await database.countOf("failed")
  const ended = await verdict(scene)
  const sorted = seconds.toSorted((one, other) => one - other)
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  return {
    invariant: "I2, I3",
    what: `fifty confirmations at once, two processes carrying, ${what}`,
    seen:
      `${times} rounds, median ${median.toFixed(1)} s until all ended; ${failed} refused by the ` +
      `token among them, ${gaps} nonce gaps; ${told(ended)}`,
    holds: holds(ended) && gaps === 0 && failed === (times * sends) / refusedEach
  }
}

export const part: Part = {
  name: "fifty",
  promise: "fifty confirmations at once all end, without a gap in the relayer's nonces",
  run: async ({ bundle, quick, times }) => {
    const atOnce = await inScene(bundle, {}, (scene) =>
      rounds(scene, times(10, 1), "blocks at once")
    )
    if (quick) return [atOnce]
    const eachSecond = await inScene(bundle, {}, async (scene) => {
      await scene.chain.automine(false)
      await scene.chain.call("evm_setIntervalMining", 1)
      return rounds(scene, times(5, 1), "a block each second")
    })
    return [atOnce, eachSecond]
  }
}
