/**
 * The lines requests wait in: calls of keys, each key in its turn; payers' links; what never changes; and all
 * else that strangers ask for, which waits while a key's call is young. No line waits behind another.
 */
import { Overloaded } from "../refusals.ts"
import * as Lane from "./lane.ts"

export interface Bounds extends Lane.Bounds {
  /** For so long from its start a key's call holds strangers back. */
  readonly youngMs: number
  /** However busy keys are, one stranger is let in this often. */
  readonly maxPauseMs: number
  readonly keys: Lane.Bounds
  readonly links: Lane.Bounds
  readonly manual: Lane.Bounds
}

const waiting = { maxWaiting: 4_000, maxWaitingPerClient: 500, maxHeldMs: 50 }

export const defaults: Bounds = {
  ...waiting,
  maxAtOnce: 2,
  youngMs: 50,
  maxPauseMs: 50,
  // As many as keep a database busy, and few enough that a call which comes next waits for few.
  keys: { ...waiting, maxAtOnce: 8 },
  links: { ...waiting, maxAtOnce: 1 },
  manual: { ...waiting, maxAtOnce: 1 }
}

export interface Turns {
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

const strangersWait = () =>
  new Overloaded({
    message: "Too many requests without a key wait here. Try again in a second.",
    details: { retryAfterSeconds: 1 }
  })

const keysWait = () =>
  new Overloaded({
    message: "Too many calls wait here already, of this key or of all. Try again in a second.",
    details: { retryAfterSeconds: 1 }
  })

/** The calls of keys that began lately and are not answered yet. */
const calls = (youngMs: number) => {
  const began = new Map<object, number>()
  return {
    begin: () => {
      const call = {}
      began.set(call, performance.now())
      return () => began.delete(call)
    },
    anyYoung: (nowMs: number) => {
      for (const [call, atMs] of began) {
        if (nowMs - atMs < youngMs) return true
        began.delete(call)
      }
      return false
    }
  }
}

/**
 * After as long a rest as the last one took, so that half of the time of this process is nobody's but keys',
 * and not while a key's call is young, unless the last was long ago.
 */
const pacing = ({ maxPauseMs }: Bounds, isYoung: (nowMs: number) => boolean): Lane.Pace => {
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
      restedMs = 2 * performance.now() - beganMs
    },
    end: () => undefined,
    pauseMs: () => {
      const nowMs = performance.now()
      const latestMs = beganMs + maxPauseMs
      const untilMs = isYoung(nowMs) ? latestMs : Math.min(restedMs, latestMs)
      return Math.max(0, untilMs - nowMs)
    }
  }
}

/** One after the other, measured to their ends, with so many times as long a rest while a key's call is young. */
const shortPacing = (
  { maxPauseMs }: Bounds,
  isYoung: (nowMs: number) => boolean,
  restsPerWork: number
): Lane.Pace => {
  let beganMs = Number.NEGATIVE_INFINITY
  let endedMs = Number.NEGATIVE_INFINITY
  return {
    oneByOne: true,
    begin: () => {
      beganMs = performance.now()
    },
    turned: () => undefined,
    end: () => {
      endedMs = performance.now()
    },
    pauseMs: () => {
      const nowMs = performance.now()
      const rests = isYoung(nowMs) ? restsPerWork : 1
      const untilMs = endedMs + Math.min(maxPauseMs, rests * (endedMs - beganMs))
      return Math.max(0, untilMs - nowMs)
    }
  }
}

export const make = (bounds: Bounds = defaults): Turns => {
  const keyed = calls(bounds.youngMs)
  const strangers = Lane.make(bounds, pacing(bounds, keyed.anyYoung), strangersWait)
  // A page behind a link is small, and somebody wants to pay; what never changes is up to half a megabyte.
  const links = Lane.make(bounds.links, shortPacing(bounds, keyed.anyYoung, 1), strangersWait)
  const manual = Lane.make(bounds.manual, shortPacing(bounds, keyed.anyYoung, 2), strangersWait)
  const keys = Lane.make(bounds.keys, Lane.unpaced, keysWait)
  return {
    take: strangers.take,
    takeLink: links.take,
    takeManual: manual.take,
    enter: keys.enter,
    enterAgain: keys.enterAgain,
    makeWay: () => {
      const end = keyed.begin()
      return () => {
        end()
        strangers.look()
        links.look()
        manual.look()
      }
    }
  }
}
