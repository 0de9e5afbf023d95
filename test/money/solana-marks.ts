/**
 * I2 after marks were taken back: the process that takes them back is killed with SIGKILL at each of its steps and run
 * again, then a database is restored from before the send. It signs nothing until it caught up, and pays once.
 */
import { labelOf, type Point } from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { type Figure, type Part, type Run, someOf } from "./part.ts"
import { told, withBundle } from "./solana.ts"
import { completes, openScene, type Scene, stateOf } from "./solana-scene.ts"

const points: ReadonlyArray<Point> = [
  { call: "MarkRent.standing", edge: "before" },
  { call: "MarkRent.standing", edge: "after" },
  { call: "MarkRent.madeAt", edge: "after" },
  { call: "MarkRent.sign", edge: "before" },
  { call: "MarkRent.sign", edge: "after" },
  { call: "Outlay.charge", edge: "after" },
  { call: "SolanaRelay.broadcast", edge: "before" },
  { call: "SolanaRelay.broadcast", edge: "after" },
  { call: "MarkRent.standing", edge: "after", since: "SolanaRelay.broadcast" }
]

/** Takes everything back, by a process that dies on the way when it is told where. */
const takenBack = async (scene: Scene, point: Point | undefined) => {
  const beforeMs = Date.now() + 60_000
  if (point !== undefined) {
    const dying = await scene.start({ works: false })
    await dying.ask({ ask: "arm", point })
    void dying.ask({ ask: "reclaim", beforeMs }).catch(() => undefined)
    const { signal } = await within(`it dies ${labelOf(point)}`, dying.child.died)
    if (signal !== "SIGKILL") throw new Error(`It did not die ${labelOf(point)}: ${signal}`)
  }
  const next = await scene.start({ works: false })
  const stood = Number(await next.ask({ ask: "marks" }))
  const reclaimed = Number(await next.ask({ ask: "reclaim", beforeMs }))
  const left = Number(await next.ask({ ask: "marks" }))
  await next.child.stop()
  // What was handed over before it died may be in a block that was not final yet.
  const isWhole = left === 0 && reclaimed <= stood && (point !== undefined || reclaimed === 1)
  if (!isWhole) throw new Error(`${stood} stood, ${reclaimed} were taken back, ${left} are left`)
}

const runOf = async (scene: Scene, name: string, point: Point | undefined) => {
  await scene.sql(`create database ${name} template postgres`)
  const first = await scene.start()
  const meant = await scene.meant(first)
  scene.chain.runs(true)
  await completes(first, meant, String(await first.ask({ ask: "send", meant })))
  await first.child.stop()
  await takenBack(scene, point)
  // Nodes that still showed the payment would say enough.
  await scene.chain.forget(true)
  const restored = await scene.start({ database: name })
  try {
    const again = String(await restored.ask({ ask: "send", meant }))
    await until("it waits for bursar reconcile", async () => {
      const { status, waitsFor } = await stateOf(restored, meant.accountId, again)
      if (status !== "executing") throw new Error(`It is ${status}.`)
      return waitsFor?.includes("bursar reconcile") === true ? true : undefined
    })
    // By a node that keeps all history.
    await scene.chain.forget(false)
    await restored.ask({ ask: "reconcile" })
    return await completes(restored, meant, again)
  } finally {
    await scene.chain.forget(false)
    scene.chain.runs(false)
    await restored.child.stop()
  }
}

const takingBack = async ({ bundle, quick, say, times }: Run): Promise<Figure> => {
  const scene = await openScene(bundle)
  try {
    const all = Array.from({ length: times(5, 1) }, () => [
      undefined,
      ...someOf(points, quick)
    ]).flat()
    let held = 0
    for (const [at, point] of all.entries()) {
      const where = point === undefined ? "alive" : labelOf(point)
      try {
        const state = await runOf(scene, `older_${at}`, point)
        if (state.recovered === true) held++
        else say(`  ${where}: it was not recovered: ${JSON.stringify(state)}`)
      } catch (error) {
        say(`  ${where}: ${error}`)
      }
    }
    const paid = told(await scene.paid())
    return {
      invariant: "I2",
      what: "Solana: marks taken back, killed on the way, then restored from before the send",
      seen: `${new Set(all).size - 1} points, ${all.length} runs, ${held} recovered; ${paid.text}`,
      holds: held === all.length && paid.holds
    }
  } finally {
    await scene.close()
  }
}

export const part: Part = {
  name: "solana-marks",
  promise: "a send on Solana is paid once though its mark was taken back and its records are older",
  run: (run) => withBundle(run, async (own) => [await takingBack(own)])
}
