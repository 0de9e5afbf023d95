/**
 * I2 and I3 of bridges: a process is killed with SIGKILL at each step and started again. At every moment the money is
 * in one place, the sums of both chains agree, and what was reserved is given back or spent.
 */
import { Effect } from "effect"
import * as Dln from "../../core/chains/dln.ts"
import * as Child from "../kill/child.ts"
import * as KillPoints from "../kill/points.ts"
import { until, within } from "../kill/scene.ts"
import { type BridgePoint, labelOf, type Plot, points } from "./bridge-points.ts"
import { called, openScene, type Replica, type Scene } from "./bridge-scene.ts"
import { dealt, type Figure, type Part, type Run } from "./part.ts"

/** A little longer than a process may hold a wait. */
const leaseMs = 61_000
/** A look that was put off comes sooner for us. */
const hurryMs = 16_000
const sampleMs = 150
/** So many deaths a scene sees: chains of tens of thousands of blocks cost more for each than the deaths do. */
const deathsOfScene = 60

export interface Lane {
  readonly scene: Scene
  service: Replica
  /** Others who carry the same bridge, and how far their clocks are ahead of its. */
  readonly others?: ReadonlyArray<{ readonly service: Replica; readonly aheadMs: number }>
  offsetMs: number
  nextCents: number
}

/** Time goes on for everybody. */
const passes = async (lane: Lane, laterMs: number) => {
  lane.offsetMs += laterMs
  await lane.scene.chains.passes(laterMs / 1000)
}

const tellTime = ({ offsetMs, others = [], service }: Lane) =>
  Promise.all([
    service.ask({ ask: "clock", offsetMs }),
    ...others.map((other) =>
      other.service.ask({ ask: "clock", offsetMs: offsetMs + other.aheadMs })
    )
  ])

/** Sets the stage: without attestations orders are the way that is left. */
export const stage = async ({ account, chains }: Scene, plot: Plot) => {
  const { faults, one, orders, other } = chains
  faults.status = plot === "minted" ? undefined : 503
  orders.faults.isIdle = plot === "refunded"
  // What is left of earlier loans would make the next one unnecessary.
  await Effect.runPromise(one.anvil.call("anvil_setBalance", account.from.address, "0x0"))
  await Effect.runPromise(other.anvil.call("anvil_setBalance", account.to.address, "0x0"))
}

export const inputOf = ({ account, chains }: Pick<Scene, "account" | "chains">, cents: number) => ({
  fromWalletId: account.from.id,
  toWalletId: account.to.id,
  ...{ sellSymbol: "USDC", sellTokenAddress: chains.one.usdc },
  ...{ buySymbol: "USDC", buyTokenAddress: chains.other.usdc },
  amountUsd: (cents / 100).toFixed(2)
})

const stateOf = ({ scene, service }: Lane, proposalId: string) =>
  called(scene, service, "get_proposal", { proposalId })

/** What nobody fills is asked to stop, as soon as it waits for that. */
const stopsAt = async (lane: Lane, proposalId: string, plot: Plot) => {
  if (plot !== "refunded") return
  const { subStatus } = await stateOf(lane, proposalId)
  if (subStatus === "fulfilling") {
    await called(lane.scene, lane.service, "cancel_proposal", { proposalId })
  }
}

const patience = 5

/** A bridge is several acts one after the other: it gets several times as long as one. */
const patiently = async (sentence: string, ask: () => Promise<true | undefined>) => {
  for (let tries = 1; tries < patience; tries++) {
    const last = await until(sentence, ask).catch((error: Error) => error)
    if (last === true) return
    if (!last.message.startsWith("Not within")) throw last
  }
  await until(sentence, ask)
}

/** Waits for the end, while time is made to pass for looks that were put off. */
export const ends = async (lane: Lane, proposalId: string, plot: Plot) => {
  const wanted = plot === "refunded" ? "refunded" : "executed"
  let asked = 0
  await patiently(`${proposalId} is ${wanted}`, async () => {
    const { outcome, status, statusReason } = await stateOf(lane, proposalId)
    if (outcome === wanted) return true
    if (status !== "executing") throw new Error(`It is ${status}: ${statusReason}`)
    await stopsAt(lane, proposalId, plot)
    asked += 1
    if (asked % 20 === 0) {
      await passes(lane, hurryMs)
      await tellTime(lane)
    }
    return undefined
  })
}

interface Held {
  readonly here: bigint
  readonly there: bigint
}

/** Looks at both chains over and over: what has arrived must have left, and both are whole amounts of one bridge. */
const watched = ({ account, chains }: Scene, before: Held, amount: bigint) => {
  const wrong: Array<string> = []
  let looks = 0
  let isOver = false
  const look = async () => {
    // The destination first: what is there by then has left the source by the next question.
    const there = await Effect.runPromise(chains.other.balance(account.to.address))
    const here = await Effect.runPromise(chains.one.balance(account.from.address))
    looks += 1
    const [left, came] = [before.here - here, there - before.there]
    const isOne = left === 0n ? came === 0n : left === amount && (came === 0n || came <= amount)
    if (!isOne) wrong.push(`${left} had left and ${came} had come`)
  }
  const looking = (async () => {
    while (!isOver) {
      await look()
      await new Promise((resume) => setTimeout(resume, sampleMs))
    }
  })()
  return async () => {
    isOver = true
    await looking
    const [first] = wrong
    if (first !== undefined) throw new Error(`The money was in two places: ${first}`)
    return looks
  }
}

const exactlyOne = (what: string, amounts: ReadonlyArray<bigint>, amount: bigint) => {
  const { length } = amounts.filter((each) => each === amount)
  if (length !== 1) throw new Error(`${what} ${length} times.`)
}

/** What the chains' own logs say became of it: left once, and came or came back once. */
export const doneOnce = async (
  { account, chains }: Scene,
  plot: Plot,
  { amount, before, bought }: { amount: bigint; before: Held; bought: bigint }
) => {
  const { from, to } = account
  const { here, there } = await chains.balances(from.address, to.address)
  const [left, came] = [before.here - here, there - before.there]
  const wanted = plot === "refunded" ? [0n, 0n] : [amount, bought]
  if (left !== wanted[0] || came !== wanted[1]) {
    throw new Error(`${left} left and ${came} came, and not ${wanted.join(" and ")}.`)
  }
  if (plot === "minted") {
    exactlyOne("It was burnt", await chains.burns(from.address), amount)
    return exactlyOne("It was minted", await chains.moved(chains.other, null, to.address), bought)
  }
  const made = await chains.moved(chains.one, from.address, Dln.source)
  exactlyOne("It was ordered", made, amount)
  if (plot === "refunded") {
    const back = await chains.moved(chains.one, Dln.source, from.address)
    return exactlyOne("It was given back", back, amount)
  }
  exactlyOne("It was filled", await chains.moved(chains.other, null, to.address), bought)
}

const dies = async (lane: Lane, point: BridgePoint, proposalId: string) => {
  const place = KillPoints.labelOf(point)
  const { died } = lane.service.child
  let isDead = false
  died.then(() => {
    isDead = true
  })
  const stopping = (async () => {
    while (!isDead && point.plot === "refunded") {
      await stopsAt(lane, proposalId, point.plot).catch(() => undefined)
      await new Promise((resume) => setTimeout(resume, 300))
    }
  })()
  const { lastWords, signal } = await within(`the process dies ${place}`, died).finally(() => {
    isDead = true
  })
  await stopping
  if (signal === "SIGKILL" && lastWords === `died ${place}`) return
  throw new Error(`It did not die ${place}: ${signal}, ${lastWords}`)
}

/** One death; what went wrong is thrown. Returns how often both chains were looked at. */
const dieAt = async (lane: Lane, point: BridgePoint): Promise<number> => {
  const { scene, service } = lane
  const { account, chains } = scene
  await stage(scene, point.plot)
  const cents = lane.nextCents++
  const amount = BigInt(cents) * 10_000n
  const { proposalId } = await called(scene, service, "propose_bridge", inputOf(scene, cents))
  const before = await chains.balances(account.from.address, account.to.address)
  const whole = watched(scene, before, amount)
  try {
    await service.ask({ ask: "arm", point })
    const confirmed = called(scene, service, "confirm_proposal", { proposalId }).catch(
      () => undefined
    )
    await dies(lane, point, proposalId)
    await confirmed
    await passes(lane, leaseMs)
    lane.service = await scene.start({ offsetMs: lane.offsetMs })
    await called(scene, lane.service, "confirm_proposal", { proposalId })
    await ends(lane, proposalId, point.plot)
  } finally {
    await whole().catch(() => undefined)
  }
  const looks = await whole()
  const { boughtAmount } = await stateOf(lane, proposalId)
  await doneOnce(scene, point.plot, { amount, before, bought: BigInt(boughtAmount) })
  return looks
}

/** Reservations and sales that stand otherwise than their proposal does. */
export const drift = ({ database }: Scene) =>
  database.rows<{ id: string }>(
    `select p.id from proposal p left join spend_reservation r on r.proposal_id = p.id
      where p.kind = 'bridge' and p.status in ('executing', 'completed', 'failed')
        and r.state is distinct from
          case p.status when 'completed' then 'consumed' when 'failed' then 'released' else 'none' end
      union all select proposal_id from sale where state = 'open'`
  )

const startAnew = async (lane: Lane) => {
  await lane.service.child.stop()
  await passes(lane, leaseMs)
  lane.service = await lane.scene.start({ offsetMs: lane.offsetMs })
}

const sweep = async ({ bundle, say }: Run, work: ReadonlyArray<BridgePoint>) => {
  let held = 0
  let looks = 0
  const dieThrough = async (points: ReadonlyArray<BridgePoint>) => {
    const scene = await openScene(bundle)
    try {
      const lane: Lane = { scene, service: await scene.start(), offsetMs: 0, nextCents: 2_001 }
      for (const point of points) {
        try {
          looks += await dieAt(lane, point)
          held += 1
        } catch (error) {
          say(`  ${labelOf(point)}: ${error}`)
          await startAnew(lane)
        }
      }
      return (await drift(scene)).length
    } finally {
      await scene.close()
    }
  }
  const drifted = await Promise.all(
    dealt(work).map(async (mine) => {
      let sum = 0
      for (let from = 0; from < mine.length; from += deathsOfScene) {
        sum += await dieThrough(mine.slice(from, from + deathsOfScene))
        say(`  ${held} held so far`)
      }
      return sum
    })
  )
  return { held, looks, drifted: drifted.reduce((sum, each) => sum + each, 0) }
}

export const part: Part = {
  name: "bridges",
  promise:
    "a process killed anywhere in a bridge leaves the money in one place, and arrived or given back once",
  run: async (run) => {
    const bundle = await Child.bundle("test/money/bridge-service.ts")
    try {
      // A quick run takes every ninth place.
      const some = run.quick ? points.filter((_, at) => at % 9 === 4) : points
      const work = Array.from({ length: run.times(20, 1) }, () => some).flat()
      const { drifted, held, looks } = await sweep({ ...run, bundle }, work)
      const figure: Figure = {
        invariant: "I2, I3",
        what: "killed with SIGKILL in a bridge",
        seen: `${some.length} points, ${work.length} runs, ${held} held; both chains looked at ${looks} times; drift ${drifted}`,
        holds: held === work.length && drifted === 0
      }
      return [figure]
    } finally {
      bundle.remove()
    }
  }
}
