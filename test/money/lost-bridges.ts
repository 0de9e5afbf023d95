/**
 * I2 of bridges: the records are lost after the money has left, and an older database goes on. The same call with the
 * same idempotency key finds on the chain what left, follows it, and sends nothing again.
 */
import * as Child from "../kill/child.ts"
import { until } from "../kill/scene.ts"
import type { Plot } from "./bridge-points.ts"
import { called, openScene, type Scene } from "./bridge-scene.ts"
import { doneOnce, ends, inputOf, type Lane, stage } from "./bridges.ts"
import type { Figure, Part } from "./part.ts"
import * as Stores from "./stores.ts"

/** A little longer than a process may hold a wait. */
const leaseMs = 61_000

const plots = ["minted", "filled"] as const satisfies ReadonlyArray<Plot>
type Lost = (typeof plots)[number]

/** A copy of the records as they are now, which nobody uses meanwhile. */
const copyTo = async ({ server }: Scene, name: string) => {
  const admin = Stores.open(server.url("template1"))
  try {
    await admin.rows(`create database ${name} template postgres`)
  } finally {
    await admin.close()
  }
}

/** Holds what has left on its way, or lets it go on. */
const hold = ({ chains }: Scene, isHeld: boolean) => {
  chains.faults.isHeld = isHeld
  chains.orders.faults.isIdle = isHeld
}

const underWay: Readonly<Record<Lost, string>> = { minted: "attesting", filled: "fulfilling" }

/** One loss; what went wrong is thrown. */
const lose = async (scene: Scene, plot: Lost, run: number) => {
  const { account, chains } = scene
  const earlier = `earlier_${plot}_${run}`
  await copyTo(scene, earlier)
  const first = await scene.start()
  await stage(scene, plot)
  hold(scene, true)
  const cents = 3_001 + 2 * run + plots.indexOf(plot)
  const [input, key] = [inputOf(scene, cents), `${plot}-${run}`]
  const before = await chains.balances(account.from.address, account.to.address)
  const { proposalId } = await called(scene, first, "propose_bridge", input, key)
  await called(scene, first, "confirm_proposal", { proposalId })
  await until("it has left", async () => {
    const { subStatus } = await called(scene, first, "get_proposal", { proposalId })
    return subStatus === underWay[plot] ? true : undefined
  })
  await first.child.stop()
  await chains.passes(leaseMs / 1000)
  const service = await scene.start({ database: earlier, offsetMs: leaseMs })
  const lane: Lane = { scene, service, offsetMs: leaseMs, nextCents: 0 }
  const again = await called(scene, service, "propose_bridge", input, key)
  await called(scene, service, "confirm_proposal", { proposalId: again.proposalId })
  hold(scene, false)
  await ends(lane, again.proposalId, plot)
  const { boughtAmount } = await called(scene, service, "get_proposal", {
    proposalId: again.proposalId
  })
  const amount = BigInt(cents) * 10_000n
  await doneOnce(scene, plot, { amount, before, bought: BigInt(boughtAmount) })
  await service.child.stop()
}

export const part: Part = {
  name: "lost-bridges",
  promise:
    "a bridge whose records are lost after it left is found on the chain, and not made again",
  run: async (run) => {
    const bundle = await Child.bundle("test/money/bridge-service.ts")
    const runs = run.times(5, 1)
    let held = 0
    try {
      for (let at = 0; at < runs; at++) {
        for (const plot of plots) {
          // What one run leaves behind on the chain is unknown to the records of another.
          const scene = await openScene(bundle)
          try {
            await lose(scene, plot, at)
            held += 1
          } catch (error) {
            run.say(`  ${plot}: ${error}`)
          } finally {
            await scene.close()
          }
        }
      }
    } finally {
      bundle.remove()
    }
    const all = runs * plots.length
    const figure: Figure = {
      invariant: "I2",
      what: "lost the records of a bridge that had left",
      seen: `${all} runs, ${held} found and not made again`,
      holds: held === all
    }
    return [figure]
  }
}
