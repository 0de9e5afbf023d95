/**
 * All points one after the other on one engine, each so many times, and what came of it. A run that went
 * wrong in any way counts against its point, and the next one finds the service started anew.
 */
import { audit } from "./audit-run.ts"
import type { Bundle } from "./child.ts"
import * as Points from "./points.ts"
import * as Runs from "./runs.ts"
import * as Scene from "./scene.ts"
import { signature } from "./signature-run.ts"
import { threeSteps } from "./steps-run.ts"

export interface Tally {
  readonly engine: Scene.EngineName
  readonly label: string
  readonly runs: number
  /** How often the service died at this very point. */
  readonly deaths: number
  /** Runs after which all that must hold did. */
  readonly held: number
  /** Deliveries beyond the first of an event; or, for writes, retries answered from the store. */
  readonly repeats: number
  readonly violations: ReadonlyArray<string>
}

export interface Totals {
  readonly engine: Scene.EngineName
  /** Payment requests that were paid, and so had to be heard of. */
  readonly paid: number
  /** Deliveries that reached the merchant over the whole time, late ones included. */
  readonly arrivals: number
  readonly eventIds: number
  readonly rejected: number
  /** Requests the merchant never heard of, or under more than one event id. */
  readonly wrong: number
}

interface Entry {
  readonly label: string
  readonly run: (scene: Scene.Scene) => Promise<Runs.Outcome>
  readonly times?: number
}

const waitedFor = Points.payments.filter(({ leavesLease }) => leavesLease === true)

export const payments: ReadonlyArray<Entry> = Points.payments.map((point) => ({
  label: `${point.turn}: ${Points.labelOf(point)}`,
  run: (scene) => Runs.payment(scene, point)
}))

export const writes: ReadonlyArray<Entry> = Points.writes.map((point) => ({
  label: `writing: ${Points.labelOf(point)}`,
  run: (scene) => Runs.write(scene, point)
}))

export const signatures: ReadonlyArray<Entry> = Points.signatures.map((point) => {
  const where = point.within === undefined ? "" : ` of ${point.within}`
  return {
    label: `signed: ${Points.labelOf(point)}${where}`,
    run: (scene) => signature(scene, point)
  }
})

export const places: ReadonlyArray<Entry> = Points.places.map((point) => ({
  label: `placing: ${Points.labelOf(point)}`,
  run: (scene) => audit(scene, point)
}))

export const steps: ReadonlyArray<Entry> = Points.steps.map((point) => {
  const where = point.within === undefined ? "" : ` of ${point.within}`
  const since = point.since === undefined ? "" : ` since ${point.since}`
  const what = point.stops === true ? "stopping" : "stepping"
  return {
    label: `${what}: ${Points.labelOf(point)}${where}${since}`,
    run: (scene) => threeSteps(scene, point)
  }
})

/** Half a minute each: the lease of the dead process runs out by itself, on an unchanged clock. */
export const patient: ReadonlyArray<Entry> = waitedFor.map((point) => ({
  label: `lease waited for: ${Points.labelOf(point)}`,
  run: (scene) => Runs.payment(scene, point, { waits: true }),
  times: 1
}))

const repeated = async (
  scene: Scene.Scene,
  { label, run, times }: Entry,
  defaultTimes: number
): Promise<readonly [Tally, ReadonlyArray<string>]> => {
  const runs = times ?? defaultTimes
  const deathsBefore = scene.deaths()
  const violations: Array<string> = []
  const pids: Array<string> = []
  let held = 0
  let repeats = 0
  for (let n = 1; n <= runs; n++) {
    try {
      const outcome = await run(scene)
      pids.push(outcome.pid)
      repeats += outcome.repeats
      if (outcome.violations.length === 0) held += 1
      violations.push(...outcome.violations.map((each) => `run ${n}: ${each}`))
    } catch (error) {
      violations.push(`run ${n}: ${error instanceof Error ? error.message : error}`)
      await scene.restart()
    }
  }
  const deaths = scene.deaths() - deathsBefore
  return [{ engine: scene.engine, label, runs, deaths, held, repeats, violations }, pids]
}

const totalsOf = ({ engine, receiver }: Scene.Scene, paid: ReadonlyArray<string>): Totals => {
  const idsOf = (pid: string) =>
    new Set(receiver.arrivals.filter((each) => each.pid === pid).map((each) => each.eventId))
  return {
    engine,
    paid: paid.length,
    arrivals: receiver.arrivals.length,
    eventIds: new Set(receiver.arrivals.map(({ eventId }) => eventId)).size,
    rejected: receiver.rejected(),
    wrong: paid.filter((pid) => idsOf(pid).size !== 1).length
  }
}

/** Runs every entry so many times in one scene. */
export const sweep = async (
  engine: Scene.EngineName,
  bundle: Bundle,
  entries: ReadonlyArray<Entry>,
  times: number,
  hear: (tally: Tally) => void = () => undefined
): Promise<{ readonly tallies: ReadonlyArray<Tally>; readonly totals: Totals }> => {
  const scene = await Scene.open(engine, bundle)
  try {
    const tallies: Array<Tally> = []
    const paid: Array<string> = []
    for (const entry of entries) {
      const [tally, pids] = await repeated(scene, entry, times)
      if (![writes, places, steps].some((each) => each.includes(entry))) paid.push(...pids)
      tallies.push(tally)
      hear(tally)
    }
    return { tallies, totals: totalsOf(scene, paid) }
  } finally {
    await scene.close()
  }
}

/** Whether everything held: each run died where it was told to, and nothing was lost or done twice. */
export const allHeld = (tallies: ReadonlyArray<Tally>, totals: Totals): boolean =>
  totals.rejected === 0 &&
  totals.wrong === 0 &&
  (totals.paid > 0 || tallies.every(({ label }) => label.startsWith("st"))) &&
  tallies.every(({ runs, deaths, held }) => runs === deaths && runs === held)
