/**
 * The lines requests wait in: calls of keys, each key in its turn; payers' links; what never changes; and all
 * else that strangers ask for, which waits while a key's call is young. No line waits behind another.
 */
import * as Present from "../present.ts"
import { keysWait, strangersWait } from "../refusals.ts"
import * as Lane from "./lane.ts"

export interface Bounds extends Lane.Bounds {
  /** For so long from its start a key's call holds strangers back. */
  readonly youngMs: number
  /** For so long after a key's call strangers rest longer between them. */
  readonly livelyMs: number
  /** However busy keys are, one stranger is let in this often. */
  readonly maxPauseMs: number
  readonly keys: Lane.Bounds
  readonly links: Lane.Bounds
  readonly manual: Lane.Bounds
}

const waiting = {
  maxWaiting: 4_000,
  maxWaitingPerClient: 500,
  maxHeldMs: 50,
  maxHeldBusyMs: 500,
  maxWaitMs: 5_000
}

export const defaults: Bounds = {
  ...waiting,
  maxAtOnce: 2,
  youngMs: 50,
  livelyMs: 1_000,
  maxPauseMs: 50,
  // As many as one statement writes together, and few enough that a call which comes next waits for few.
  keys: { ...waiting, maxAtOnce: 32 },
  links: { ...waiting, maxAtOnce: 1 },
  manual: { ...waiting, maxAtOnce: 1 }
}

/** Which line of strangers. */
export type Line = "strangers" | "links" | "manual"

export interface Turns {
  /** A place in a line of strangers for a request of which nothing is begun yet. */
  readonly await: (line: Line, ...place: Parameters<Lane.Lane["await"]>) => () => void
  /** The same in a key's turn; strangers make way until it leaves. */
  readonly awaitKey: (key: string, arrival: Lane.Arrival) => () => void
  readonly take: Lane.Lane["take"]
  /** For what takes a moment whoever asks: payers' links, and whatever never changes. Neither waits for keys. */
  readonly takeLink: Lane.Lane["take"]
  readonly takeManual: Lane.Lane["take"]
  /** A place for a call of a key in its turn, until it is left. */
  readonly enter: Lane.Lane["enter"]
  readonly enterAgain: Lane.Lane["enterAgain"]
  /** A key's call begins; the answer is to be called when it ends. */
  readonly makeWay: () => () => void
}

interface Call {
  readonly beganMs: number
  leave: () => void
}

/** The calls of keys that began lately and are not answered yet, and when the last one came. */
const calls = ({ livelyMs, youngMs }: Bounds) => {
  const begun = Present.make<Call>()
  let latestMs = Number.NEGATIVE_INFINITY
  return {
    begin: () => {
      latestMs = performance.now()
      const call: Call = { beganMs: latestMs, leave: () => undefined }
      call.leave = begun.enter(call)
      return call.leave
    },
    anyYoung: (nowMs: number) => {
      for (const { beganMs, leave } of begun) {
        if (nowMs - beganMs < youngMs) return true
        leave()
      }
      return false
    },
    areLively: (nowMs: number) => nowMs - latestMs < livelyMs
  }
}

type Calls = Pick<ReturnType<typeof calls>, "anyYoung" | "areLively">

/**
 * How many times as long as the last one took a line rests: alone, and where keys have called lately. There all
 * lines together leave half of the time of this process to keys: 1/5, 1/5 and 1/10 are the strangers'.
 */
const rests = {
  strangers: { alone: 1, besideKeys: 4 },
  links: { alone: 1, besideKeys: 4 },
  manual: { alone: 2, besideKeys: 9 }
} as const

const restsOf = (line: Line, { areLively }: Calls, nowMs: number): number =>
  areLively(nowMs) ? rests[line].besideKeys : rests[line].alone

/** Begins nobody while a key's call is young, unless the last was long ago. */
const pacing = ({ maxPauseMs }: Bounds, keyed: Calls): Lane.Pace => {
  let beganMs = Number.NEGATIVE_INFINITY
  let restedMs = Number.NEGATIVE_INFINITY
  let isMeasured = true
  return {
    oneByOne: true,
    begin: () => {
      beganMs = performance.now()
      isMeasured = false
    },
    turned: () => {
      if (isMeasured) return
      isMeasured = true
      const nowMs = performance.now()
      restedMs = nowMs + (nowMs - beganMs) * restsOf("strangers", keyed, nowMs)
    },
    end: () => undefined,
    pauseMs: () => {
      const nowMs = performance.now()
      const latestMs = beganMs + maxPauseMs
      const untilMs = keyed.anyYoung(nowMs) ? latestMs : Math.min(restedMs, latestMs)
      return Math.max(0, untilMs - nowMs)
    }
  }
}

/** One after the other, measured to their ends. What rested before lets as much work go in one turn of the event loop. */
const shortPacing = (
  { maxPauseMs }: Bounds,
  keyed: Calls,
  line: Line,
  burstMs: number
): Lane.Pace => {
  let beganMs = Number.NEGATIVE_INFINITY
  let restedMs = Number.NEGATIVE_INFINITY
  return {
    oneByOne: burstMs === 0,
    begin: () => {
      beganMs = performance.now()
      restedMs = Math.max(restedMs, beganMs - burstMs)
    },
    turned: () => undefined,
    end: () => {
      const nowMs = performance.now()
      const tookMs = nowMs - beganMs
      restedMs += tookMs + Math.min(maxPauseMs, tookMs * restsOf(line, keyed, nowMs))
    },
    pauseMs: () => Math.max(0, restedMs - performance.now())
  }
}

/** Nothing is begun while newcomers are accepted, which goes one connection to a turn of the event loop. */
const behindArrivals =
  (isArriving: () => boolean) =>
  (pace: Lane.Pace): Lane.Pace => ({
    ...pace,
    pauseMs: () => Math.max(isArriving() ? 1 : 0, pace.pauseMs())
  })

export const make = (bounds: Bounds = defaults, isArriving: () => boolean = () => false): Turns => {
  const keyed = calls(bounds)
  const behind = behindArrivals(isArriving)
  const strangers = Lane.make(bounds, behind(pacing(bounds, keyed)), strangersWait)
  // A page behind a link is small, and somebody wants to pay; what never changes is up to half a megabyte.
  const links = Lane.make(
    bounds.links,
    behind(shortPacing(bounds, keyed, "links", 5)),
    strangersWait
  )
  const manual = Lane.make(
    bounds.manual,
    behind(shortPacing(bounds, keyed, "manual", 0)),
    strangersWait
  )
  const keys = Lane.make(bounds.keys, behind(Lane.unpaced), keysWait)
  const lines = { strangers, links, manual }
  const makeWay = () => {
    const end = keyed.begin()
    return () => {
      end()
      strangers.look()
      links.look()
      manual.look()
    }
  }
  return {
    await: (line, ...place) => lines[line].await(...place),
    awaitKey: (key, { begin, refuse }) =>
      keys.await(key, {
        begin: (left) => {
          const madeWay = makeWay()
          begin(() => {
            madeWay()
            left()
          })
        },
        refuse
      }),
    take: strangers.take,
    takeLink: links.take,
    takeManual: manual.take,
    enter: keys.enter,
    enterAgain: keys.enterAgain,
    makeWay
  }
}
