/** The addresses that customers are given to pay to, which a promotion must neither change nor give to others. */
import { until } from "../kill/scene.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Scene } from "./scene.ts"
import { callAs } from "./send.ts"

/** The addresses of customers' vaults, which are opened if need be. */
export const vaultsOf = async (scene: Scene, replica: Replica, ids: ReadonlyArray<string>) => {
  const call = callAs(scene, replica)
  const customers = ids.map((externalId) => ({ externalId }))
  const { jobId } = data(
    await call("create_provisioning_job", { chainId: "local", customers }, `vaults-${ids[0]}`)
  )
  return until("the vaults are there", async () => {
    const job = data(await call("get_provisioning_job", { jobId, limit: 100 }))
    if (!String(job.status).startsWith("completed")) return undefined
    return new Map<string, string>(
      job.results.map((each: { externalId: string; address: string }) => [
        each.externalId,
        each.address
      ])
    )
  })
}
