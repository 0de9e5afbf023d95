/**
 * Agents that go on calling whatever becomes of the servers. Each repeats a call that failed, under the same key and at
 * whichever process, so that calls are on their way at the cut, at the crash and at the promotion.
 */
import { setTimeout } from "node:timers/promises"
import type { Drawn } from "./takings.ts"

export const moments = ["cut", "crash", "promotion"] as const
export type Moment = (typeof moments)[number]

/** How many calls were on their way at each. */
export type UnderWay = Record<Moment, number>

/** What agents did all the while: what they began, their calls that failed, and those on their way at each moment. */
export interface Tally {
  begun: number
  failed: number
  readonly underWay: UnderWay
}

export const empty = (): Tally => ({
  begun: 0,
  failed: 0,
  underWay: { cut: 0, crash: 0, promotion: 0 }
})

export interface Load<Target, Work> {
  /** From now on agents call these. */
  readonly lead: (targets: ReadonlyArray<Target>) => void
  readonly count: (moment: Moment) => void
  /** Lets every call end, and says what was begun. */
  readonly stop: () => Promise<ReadonlyArray<Work>>
}

/** How a round's agents work. */
interface Working<Target, Work> {
  readonly agents: number
  readonly targets: ReadonlyArray<Target>
  readonly random: Drawn
  readonly tally: Tally
  /** What an agent does next, by how much it has begun; undefined once it has done enough. */
  readonly next: (agent: number, at: number) => Work | undefined
  readonly attempt: (target: Target, work: Work) => Promise<unknown>
}

export const start = <Target, Work>({
  agents,
  attempt,
  next,
  random,
  tally,
  ...given
}: Working<Target, Work>): Load<Target, Work> => {
  let { targets } = given
  let isOver = false
  let calling = 0
  const begun: Array<Work> = []
  const isDone = async (work: Work) => {
    calling += 1
    try {
      await attempt(random.oneOf(targets), work)
      return true
    } catch {
      // Refused, or the process or its database is gone: the agent cannot tell what became of it.
      tally.failed += 1
      return false
    } finally {
      calling -= 1
    }
  }
  const agent = async (number: number) => {
    for (let at = 0; !isOver; at++) {
      const work = next(number, at)
      if (work === undefined) return
      begun.push(work)
      while (!isOver && !(await isDone(work))) await setTimeout(random.fraction() * 100)
    }
  }
  const working = Promise.all(Array.from({ length: agents }, (_, number) => agent(number)))
  return {
    lead: (others) => {
      targets = others
    },
    count: (moment) => {
      tally.underWay[moment] += calling
    },
    stop: async () => {
      isOver = true
      await working
      tally.begun += begun.length
      return begun
    }
  }
}

export const told = ({ begun, failed, underWay }: Tally, what: string): string =>
  `${begun} ${what} of agents that called all the while with ${failed} calls that failed (on their way: ${moments.map((moment) => `${underWay[moment]} at the ${moment}`).join(", ")})`

/** A run in which no call was on its way at one of the moments has not tried it. The first round loses no machine. */
export const holds = ({ underWay }: Tally, rounds: number): boolean =>
  underWay.cut > 0 && underWay.promotion > 0 && (rounds < 2 || underWay.crash > 0)
