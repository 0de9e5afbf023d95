/**
 * Turns of requests without a key in force: a few at once, begun one by one with as long a rest after each as
 * it took, each client in its turn. While a key's call is being answered they wait: no key queues behind them.
 */
import { Effect } from "effect"
import { Overloaded } from "../refusals.ts"

export interface Bounds {
  readonly maxAtOnce: number
  readonly maxWaiting: number
  readonly maxWaitingPerClient: number
  /** Work this old waits for something else than us, and its place is given on. */
  readonly maxHeldMs: number
  /** For so long from its start a key's call holds strangers back. */
  readonly youngMs: number
  /** However busy keys are, one stranger is let in this often. */
  readonly maxPauseMs: number
}

export const defaults: Bounds = {
  maxAtOnce: 2,
  maxWaiting: 4_000,
  maxWaitingPerClient: 500,
  maxHeldMs: 50,
  youngMs: 50,
  maxPauseMs: 50
}

export interface Turns {
  /** Does work when it is a client's turn, or refuses when too many wait. */
  readonly take: (
    client: string,
    heldMs?: number
  ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
  /** A key's call begins; the answer is to be called when it ends. */
  readonly makeWay: () => () => void
}

type Leave = () => void
type Waiter = () => void

const full = () =>
  new Overloaded({
    message: "Too many requests without a key wait here. Try again in a second.",
    details: { retryAfterSeconds: 1 }
  })

/** Who waits, a line for each client, and whose line is next. */
const lines = () => {
  const waiting = new Map<string, Array<Waiter>>()
  let all = 0
  return {
    size: () => all,
    sizeOf: (client: string) => waiting.get(client)?.length ?? 0,
    join: (client: string, waiter: Waiter) => {
      const line = waiting.get(client)
      if (line === undefined) waiting.set(client, [waiter])
      else line.push(waiter)
      all += 1
    },
    quit: (client: string, waiter: Waiter) => {
      const line = waiting.get(client) ?? []
      const place = line.indexOf(waiter)
      if (place < 0) return
      line.splice(place, 1)
      if (line.length === 0) waiting.delete(client)
      all -= 1
    },
    next: (): Waiter | undefined => {
      const [first] = waiting
      if (first === undefined) return undefined
      const [client, line] = first
      const waiter = line.shift()
      waiting.delete(client)
      if (line.length > 0) waiting.set(client, line)
      all -= 1
      return waiter
    }
  }
}

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
 * When the next stranger may begin: after as long a rest as the last one took, so that half of the time of
 * this process is nobody's but keys', and not while a key's call is young, unless the last was long ago.
 */
const pacing = ({ maxPauseMs, youngMs }: Bounds) => {
  const keyed = calls(youngMs)
  let beganMs = Number.NEGATIVE_INFINITY
  let restedMs = Number.NEGATIVE_INFINITY
  let isMeasured = true
  return {
    makeWay: keyed.begin,
    begin: () => {
      beganMs = performance.now()
      isMeasured = false
    },
    /** The turn of the event loop in which one began is over. */
    measure: () => {
      if (isMeasured) return
      isMeasured = true
      restedMs = 2 * performance.now() - beganMs
    },
    pauseMs: () => {
      const nowMs = performance.now()
      const latestMs = beganMs + maxPauseMs
      const untilMs = keyed.anyYoung(nowMs) ? latestMs : Math.min(restedMs, latestMs)
      return Math.max(0, untilMs - nowMs)
    }
  }
}

// The event loop of this process is what is shared here, so its own clock counts and no other.
export const make = (bounds: Bounds = defaults): Turns => {
  const line = lines()
  const pace = pacing(bounds)
  let inside = 0
  let turn: NodeJS.Immediate | undefined
  let pause: NodeJS.Timeout | undefined

  const soon = () => {
    turn ??= setImmediate(advance)
  }

  const advance = () => {
    turn = undefined
    pace.measure()
    clearTimeout(pause)
    if (line.size() === 0 || inside >= bounds.maxAtOnce) return
    const waitMs = pace.pauseMs()
    if (waitMs === 0) line.next()?.()
    else pause = setTimeout(soon, waitMs)
  }

  const enter = (heldMs: number): Leave => {
    inside += 1
    pace.begin()
    let isInside = true
    const leave = () => {
      if (!isInside) return
      isInside = false
      clearTimeout(given)
      inside -= 1
      if (line.size() > 0) soon()
    }
    const given = setTimeout(leave, heldMs).unref()
    return leave
  }

  const place = (client: string, heldMs: number) =>
    Effect.callback<Leave, Overloaded>((resume) => {
      const begin = () => {
        resume(Effect.succeed(enter(heldMs)))
        // After what was resumed, so that its work is measured.
        soon()
      }
      const isFree = turn === undefined && line.size() === 0 && inside < bounds.maxAtOnce
      if (isFree && pace.pauseMs() === 0) return begin()
      if (line.size() >= bounds.maxWaiting || line.sizeOf(client) >= bounds.maxWaitingPerClient) {
        return resume(Effect.fail(full()))
      }
      line.join(client, begin)
      soon()
      return Effect.sync(() => line.quit(client, begin))
    })

  return {
    take:
      (client, heldMs = bounds.maxHeldMs) =>
      (work) =>
        Effect.flatMap(place(client, heldMs), (leave) => Effect.ensuring(work, Effect.sync(leave))),
    makeWay: () => {
      const end = pace.makeWay()
      return () => {
        end()
        if (line.size() > 0) soon()
      }
    }
  }
}
