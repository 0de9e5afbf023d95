/**
 * I2 and I3: the process is killed with SIGKILL at a point of a send and started again, and the send ends
 * once and as it should; or it stands still while another process finishes its work, and then goes on.
 */
import * as KillPoints from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { dealt, type Figure, type Part, type Run } from "./part.ts"
import { labelOf, pauses, points, type SendPoint } from "./points.ts"
import { data, drained, inScene, type Replica, refusedPayee, type Scene } from "./scene.ts"
import { holds, together, told, verdict } from "./verdict.ts"

/** A little longer than a process may hold a send; long enough for a replacement too. */
const leaseMs = 61_000
const replaceAfterMs = 31_000
/** So late that an authorization is signed anew. */
const muchLaterMs = 700_000

/** One lane: a scene and the process that dies in it, over and over. */
interface Lane {
  readonly scene: Scene
  service: Replica
  offsetMs: number
}

/** Time goes on for everybody; the chain notices with its next block. */
const passes = async (lane: Lane, laterMs: number) => {
  lane.offsetMs += laterMs
  await lane.scene.chain.call("evm_increaseTime", laterMs / 1000)
}

const afresh = async (lane: Lane, laterMs: number) => {
  await passes(lane, laterMs)
  lane.service = await lane.scene.start({ offsetMs: lane.offsetMs })
}

const dies = async ({ service }: Lane, point: SendPoint) => {
  const place = KillPoints.labelOf(point)
  const { lastWords, signal } = await within(`the process dies ${place}`, service.child.died)
  if (signal !== "SIGKILL" || lastWords !== `died ${place}`) {
    throw new Error(`It did not die ${place}: ${signal}, ${lastWords}`)
  }
}

const standsStill = ({ service }: Lane, point: SendPoint) =>
  until(`the process stands still ${KillPoints.labelOf(point)}`, async () =>
    service.child.hasSaid(`stood still ${KillPoints.labelOf(point)}`) ? true : undefined
  )

let nextMicro = 1_000_000

/** The place of the payee whom a send to finds. */
const placeOf = ({ plot }: SendPoint) =>
  plot === "failing" ? refusedPayee : plot === "turned" ? refusedPayee - 1 : 0

const propose = async ({ scene, service }: Lane, point: SendPoint): Promise<string> => {
  const { agentKeys, recipientIds, walletId } = scene.account
  const proposed = await service.call("REST", agentKeys[0], "propose_transfer", {
    recipientId: recipientIds[placeOf(point)],
    fromWalletId: walletId,
    amountUsdc: (nextMicro++ / 1e6).toFixed(6)
  })
  return data(proposed).proposalId
}

const confirm = ({ scene, service }: Lane, proposalId: string) =>
  service.call("REST", scene.account.agentKeys[0], "confirm_proposal", { proposalId })

const stateOf = async ({ scene, service }: Lane, proposalId: string) =>
  data(await service.call("REST", scene.account.agentKeys[0], "get_proposal", { proposalId }))

/** Once it is handed over, so long that it is looked into why no block takes it. */
const becomesOld = async (lane: Lane, proposalId: string) => {
  await until("it is handed over", async () => {
    const { status, subStatus } = await stateOf(lane, proposalId)
    return status === "completed" || subStatus === "broadcast" ? true : undefined
  })
  await passes(lane, replaceAfterMs)
  await lane.service.ask({ ask: "clock", offsetMs: lane.offsetMs })
}

/** Lets the send come to the point: its confirmation is answered, or lost with the process. */
const reach = async (lane: Lane, point: SendPoint, proposalId: string) => {
  const { chain } = lane.scene
  await chain.automine(point.plot !== "replaced")
  await lane.service.ask({ ask: "arm", point })
  const confirmed = confirm(lane, proposalId).catch(() => undefined)
  if (point.plot === "replaced") {
    await confirmed
    await becomesOld(lane, proposalId)
  }
  return confirmed
}

/** One death; what went wrong is thrown. */
const dieAt = async (lane: Lane, point: SendPoint) => {
  const proposalId = await propose(lane, point)
  const answered = reach(lane, point, proposalId)
  await dies(lane, point)
  await answered
  const { chain, payees } = lane.scene
  const payee = payees[placeOf(point)] as string
  if (point.plot === "turned") await chain.blacklist(payee, true)
  await afresh(lane, point.plot === "abandoned" ? muchLaterMs : leaseMs)
  await chain.automine(true)
  await chain.mine()
  if (point.confirming === true) data(await confirm(lane, proposalId))
  if (point.plot === "abandoned") await becomesOld(lane, proposalId)
  await endsWell(lane, point, proposalId)
  if (point.plot === "turned") await chain.blacklist(payee, false)
}

/** One standstill, while another process does the work; then it goes on. */
const standAt = async (lane: Lane, point: SendPoint) => {
  const proposalId = await propose(lane, point)
  const answered = reach(lane, point, proposalId)
  await standsStill(lane, point)
  const still = lane.service
  await afresh(lane, leaseMs)
  await lane.scene.chain.automine(true)
  await lane.scene.chain.mine()
  const holdsLock = await waitsForLock(lane)
  if (!holdsLock) await endsWell(lane, point, proposalId)
  still.child.resume()
  await answered
  await endsWell(lane, point, proposalId)
  const { recipientIds } = lane.scene.account
  // It lives: it answers, and has nothing left to do.
  await still.ask({ ask: "clock", offsetMs: lane.offsetMs })
  data(
    await still.call("functions", lane.scene.account.agentKeys[0], "simulate_transfer", {
      recipientId: recipientIds[0],
      amountUsdc: "1"
    })
  )
  await endsWell(lane, point, proposalId)
  await still.child.stop()
}

/** A process that stands still inside a transaction makes others wait until it goes on. */
const waitsForLock = async ({ scene }: Lane) =>
  until("the other works or waits", async () => {
    const waiting = await scene.database.rows(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
    )
    if (waiting.length > 0) return true
    return (await scene.database.underWay()) === 0 ? false : undefined
  })

const endsWell = async (lane: Lane, { plot }: SendPoint, proposalId: string) => {
  const wanted = plot === "failing" || plot === "turned" ? "failed" : "completed"
  await until(`${proposalId} is ${wanted}`, async () => {
    const { status } = await stateOf(lane, proposalId)
    if (status !== "executing" && status !== wanted) throw new Error(`It is ${status}.`)
    return status === wanted ? true : undefined
  })
  await drained(lane.scene)
}

/** Every nonce of the relayer that was given is used on the chain, by a send or by nothing at all. */
const noncesUsed = async ({ scene, service }: Lane) => {
  const { database, chain } = scene
  const relayer = await service.ask({ ask: "relayer" })
  const given = await database.noncesGiven()
  await until(`${given} nonces are used`, async () =>
    Number(await chain.call("eth_getTransactionCount", relayer, "latest")) === given
      ? true
      : undefined
  )
}

interface Tally {
  readonly label: string
  runs: number
  held: number
}

const sweep = async (
  { bundle, say }: Run,
  all: ReadonlyArray<SendPoint>,
  times: number,
  perform: (lane: Lane, point: SendPoint) => Promise<void>
) => {
  const tallies = new Map(
    all.map((point): [string, Tally] => {
      const label = labelOf(point)
      return [label, { label, runs: 0, held: 0 }]
    })
  )
  const work = Array.from({ length: times }, () => all).flat()
  const perLane = dealt(work).map((mine) =>
    inScene(bundle, {}, async (scene) => {
      const lane: Lane = { scene, service: await scene.start(), offsetMs: 0 }
      for (const [at, point] of mine.entries()) {
        const tally = tallies.get(labelOf(point)) as Tally
        tally.runs += 1
        try {
          await perform(lane, point)
          tally.held += 1
        } catch (error) {
          say(`  ${labelOf(point)}: ${error}`)
          await lane.service.child.stop()
          await afresh(lane, leaseMs)
        }
        if ((at + 1) % 50 === 0) say(`  ${at + 1} of ${mine.length} in a lane`)
      }
      await drained(scene)
      await noncesUsed(lane)
      return verdict(scene)
    })
  )
  const ended = together(await Promise.all(perLane))
  for (const { held, label, runs } of tallies.values()) say(`  ${label}: ${held} of ${runs} held`)
  return { tallies: [...tallies.values()], ended }
}

const sum = (numbers: ReadonlyArray<number>) => numbers.reduce((total, each) => total + each, 0)

const figureOf = (what: string, { tallies, ended }: Awaited<ReturnType<typeof sweep>>): Figure => {
  const runs = sum(tallies.map((each) => each.runs))
  const held = sum(tallies.map((each) => each.held))
  return {
    invariant: "I2, I3",
    what,
    seen: `${tallies.length} points, ${runs} runs, ${held} held; ${told(ended)}`,
    holds: held === runs && holds(ended)
  }
}

export const part: Part = {
  name: "kills",
  promise: "a process killed anywhere in a send leaves it to be paid once",
  run: async (run) => [
    figureOf("killed with SIGKILL", await sweep(run, points, run.times(20, 1), dieAt))
  ]
}

export const standing: Part = {
  name: "pauses",
  promise: "a process that stood still while another worked does nothing twice",
  run: async (run) => [
    figureOf(
      "stood still while another finished, then went on",
      await sweep(run, run.quick ? pauses.slice(-4) : pauses, run.times(5, 1), standAt)
    )
  ]
}
