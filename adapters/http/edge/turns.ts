/**
 * The three lines requests wait in: calls of keys, each key in its turn; short answers to strangers; and all
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
  readonly short: Lane.Bounds
}

const waiting = { maxWaiting: 4_000, maxWaitingPerClient: 500, maxHeldMs: 50 }

export const defaults: Bounds = {
  ...waiting,
  maxAtOnce: 2,
  youngMs: 50,
  maxPauseMs: 50,
  // As many as keep a database busy, and few enough that a call which comes next waits for few.
  keys: { ...waiting, maxAtOnce: 8 },
  short: { ...waiting, maxAtOnce: 1 }
}

export interface Turns {
  readonly take: Lane.Lane["take"]
  /** For what takes a moment whoever asks: it does not wait for keys, and leaves them most of the time. */
  readonly takeShort: Lane.Lane["take"]
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

/** How many times as long as the last one took the next rests while a key's call is young. */
const restsPerWork = 3

/** One after the other, measured to their ends: a quarter of the time while keys call, and half of it else. */
const shortPacing = ({ maxPauseMs }: Bounds, isYoung: (nowMs: number) => boolean): Lane.Pace => {
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
  const short = Lane.make(bounds.short, shortPacing(bounds, keyed.anyYoung), strangersWait)
  const keys = Lane.make(bounds.keys, Lane.unpaced, keysWait)
  return {
    take: strangers.take,
    takeShort: short.take,
    enter: keys.enter,
    enterAgain: keys.enterAgain,
    makeWay: () => {
      const end = keyed.begin()
      return () => {
        end()
        strangers.look()
        short.look()
      }
    }
  }
}
