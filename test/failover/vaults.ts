/** The addresses that customers are given to pay to, which a promotion must neither change nor give to others. */
import { until } from "../kill/scene.ts"
import { data, type Replica } from "../money/scene.ts"
import type { Scene } from "./scene.ts"
import { callAs } from "./send.ts"

export interface Vault {
  readonly externalId: string
  readonly walletMappingId: string
  readonly address: string
}

/** Customers' vaults, which are opened if need be. */
export const opened = async (
  scene: Scene,
  replica: Replica,
  ids: ReadonlyArray<string>
): Promise<ReadonlyArray<Vault>> => {
  const call = callAs(scene, replica)
  const customers = ids.map((externalId) => ({ externalId }))
  const { jobId } = data(
    await call("create_provisioning_job", { chainId: "local", customers }, `vaults-${ids[0]}`)
  )
  return until("the vaults are there", async () => {
    const job = data(await call("get_provisioning_job", { jobId, limit: 100 }))
    return String(job.status).startsWith("completed") ? job.results : undefined
  })
}

/** The addresses of customers' vaults, by the customers' ids. */
export const vaultsOf = async (scene: Scene, replica: Replica, ids: ReadonlyArray<string>) => {
  const vaults = await opened(scene, replica, ids)
  return new Map(vaults.map(({ address, externalId }) => [externalId, address]))
}
