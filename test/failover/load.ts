/**
 * Agents that go on sending whatever becomes of the servers. Each repeats a call that failed, under the same key and at
 * whichever process, so that calls are on their way at the cut, at the crash and at the promotion.
 */
import { setTimeout } from "node:timers/promises"
import type { Replica } from "../money/scene.ts"
import type { Scene } from "./scene.ts"
import { carry, type Send } from "./send.ts"
import type { Drawn } from "./takings.ts"

export const moments = ["cut", "crash", "promotion"] as const
export type Moment = (typeof moments)[number]

/** How many calls were on their way at each. */
export type UnderWay = Record<Moment, number>

const agents = 3
/** As long as an agent of the load waits for the end of a send. */
const patienceMs = 2000
/** Amounts that no other send has: below a USDC each, so that no round's cap is used up by them. */
const perRound = 1000

export interface Load {
  /** From now on agents call these. */
  readonly lead: (replicas: ReadonlyArray<Replica>) => void
  readonly count: (moment: Moment) => void
  /** Lets every call end, and says which sends were begun and how many calls had failed. */
  readonly stop: () => Promise<{ readonly begun: ReadonlyArray<Send>; readonly failed: number }>
}

export const start = (
  scene: Scene,
  round: number,
  random: Drawn,
  underWay: UnderWay,
  replicas: ReadonlyArray<Replica>
): Load => {
  let targets = replicas
  let isOver = false
  let calling = 0
  let failed = 0
  const begun: Array<Send> = []
  const next = (): Send => {
    const at = begun.length
    if (at >= perRound) throw new Error(`A round has ${perRound} amounts for its agents.`)
    const amountUsdc = `0.${100_000 + round * perRound + at}`
    const isWaited = at % 2 === 0
    const send: Send = {
      key: `round-${round}-load-${at}`,
      amountUsdc,
      stage: isWaited ? "completed" : "confirmed",
      waitMs: isWaited ? patienceMs : 0
    }
    begun.push(send)
    return send
  }
  const attempt = async (send: Send) => {
    calling += 1
    try {
      await carry(scene, random.oneOf(targets), send)
      return true
    } catch {
      // Refused, or the process or its database is gone: the agent cannot tell what became of it.
      failed += 1
      return false
    } finally {
      calling -= 1
    }
  }
  const agent = async () => {
    while (!isOver) {
      const send = next()
      while (!isOver && !(await attempt(send))) await setTimeout(random.fraction() * 100)
    }
  }
  const working = Promise.all(Array.from({ length: agents }, agent))
  return {
    lead: (others) => {
      targets = others
    },
    count: (moment) => {
      underWay[moment] += calling
    },
    stop: async () => {
      isOver = true
      await working
      return { begun, failed }
    }
  }
}
