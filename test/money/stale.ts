/**
 * I2 and I3: a process learns that the token refuses a send, stands still for longer than its lease, and
 * goes on when another has sent the very same proposal, which the token takes by then.
 */
import * as KillPoints from "../kill/points.ts"
import { until } from "../kill/scene.ts"
import type { Figure, Part, Run } from "./part.ts"
import { data, drained, inScene, type Replica, refusedPayee, type Scene } from "./scene.ts"
import { holds, told, verdict } from "./verdict.ts"

const leaseMs = 61_000

const learned: KillPoints.Point = { call: "EvmRelay.simulate", edge: "after", stands: true }
/** What it wrote down, or was not allowed to. */
const noted: KillPoints.Point = { call: "SubmissionStore.save", edge: "after", stands: true }

const standsStill = ({ child }: Replica, point: KillPoints.Point) =>
  until(`it stands still ${KillPoints.labelOf(point)}`, async () =>
    child.hasSaid(`stood still ${KillPoints.labelOf(point)}`) ? true : undefined
  )

/** What the proposal comes to. */
const once = async (scene: Scene, run: number): Promise<string> => {
  const { account, chain, payees } = scene
  const payee = payees[refusedPayee] as string
  const [key] = account.agentKeys
  const offsetMs = 2 * run * leaseMs
  const first = await scene.start({ offsetMs })
  const { proposalId } = data(
    await first.call("REST", key, "propose_transfer", {
      recipientId: account.recipientIds[refusedPayee],
      fromWalletId: account.walletId,
      amountUsdc: "7.25"
    })
  )
  await first.ask({ ask: "arm", point: learned })
  data(await first.call("REST", key, "confirm_proposal", { proposalId }))
  await standsStill(first, learned)
  await chain.blacklist(payee, false)
  await chain.automine(false)
  const second = await scene.start({ offsetMs: offsetMs + leaseMs })
  const state = async () => data(await second.call("REST", key, "get_proposal", { proposalId }))
  await until("the other hands it over", async () =>
    (await state()).subStatus === "broadcast" ? true : undefined
  )
  // It is heard of only when the process goes on, and then before that writes anything.
  const armed = first.ask({ ask: "arm", point: noted })
  first.child.resume()
  await armed
  await standsStill(first, noted)
  await first.child.stop()
  await chain.automine(true)
  await chain.mine()
  await drained(scene)
  await chain.blacklist(payee, true)
  const { status } = await state()
  await second.child.stop()
  return status
}

const all = ({ bundle, say, times }: Run): Promise<Figure> =>
  inScene(bundle, {}, async (scene) => {
    const runs = times(10, 1)
    let completed = 0
    for (let run = 0; run < runs; run++) {
      const status = await once(scene, run)
      if (status === "completed") completed += 1
      else say(`  it ended ${status}`)
    }
    const ended = await verdict(scene)
    return {
      invariant: "I2, I3",
      what: "went on with stale news that the token refuses it",
      seen: `${runs} runs, ${completed} completed; ${told(ended)}`,
      holds: completed === runs && holds(ended)
    }
  })

export const part: Part = {
  name: "stale",
  promise: "a process that comes back with stale news ends nothing that another has sent",
  run: async (run) => [await all(run)]
}
