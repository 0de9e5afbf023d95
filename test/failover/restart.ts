/**
 * Every process on the promoted records is killed while sending is held, and one is started again: it goes on with the
 * same wait, which is not shorter for that.
 */
import { setTimeout } from "node:timers/promises"
import { until } from "../kill/scene.ts"
import type { Replica } from "../money/scene.ts"
import type { Scene } from "./scene.ts"
import { isHeld } from "./send.ts"

interface Wait {
  readonly number: number
  readonly since: Readonly<Record<string, number>>
}

/** The wait as the promoted records have it, once it has begun. */
const waitOf = (scene: Scene) =>
  until("the wait has begun", async (): Promise<Wait | undefined> => {
    const [row] = await scene
      .pair()
      .onStandby<{ line: string }>(
        "select sealed::text as line from key_material where name = 'records_timeline'"
      )
    const { held, number } = JSON.parse(row?.line ?? "{}")
    return Object.keys(held?.since ?? {}).length > 0 ? { number, since: held.since } : undefined
  })

/** Twice this is less than the wait takes. */
const stepSeconds = 500
const noticedWithinMs = 4000

/** The process that was started, and whether it held sending for as long as the one before was to. */
export const restart = async (
  scene: Scene,
  replicas: ReadonlyArray<Replica>,
  proposalId: string
): Promise<{ readonly next: Replica; readonly isShorter: boolean }> => {
  const before = await waitOf(scene)
  await scene.timePasses(stepSeconds)
  await Promise.all(replicas.map(({ child }) => child.stop()))
  const next = await scene.start(scene.pair().standbyUrl)
  const isHeldAtOnce = await isHeld(scene, next, proposalId)
  await scene.timePasses(stepSeconds)
  // A wait that has ended is noticed, and the chain read, within this time.
  await scene.whileMining(setTimeout(noticedWithinMs))
  const isHeldLater = await isHeld(scene, next, proposalId)
  if (!isHeldLater) return { next, isShorter: true }
  const after = await waitOf(scene)
  const isSame = JSON.stringify(after) === JSON.stringify(before)
  return { next, isShorter: !(isHeldAtOnce && isHeldLater && isSame) }
}
