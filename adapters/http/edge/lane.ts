/**
 * A few pieces of work at once, and the rest in line, each client in its turn. Who would wait behind too many
 * is refused before anything is done for it.
 */
import { performance } from "node:perf_hooks"
import { Effect } from "effect"
import * as FairQueue from "../fair-queue.ts"
import type { Overloaded } from "../refusals.ts"
import * as Places from "./places.ts"

export interface Bounds {
  readonly maxAtOnce: number
  readonly maxWaiting: number
  readonly maxWaitingPerClient: number
  /** Work this old waits for something else than us, unless the event loop has no rest; its place is given on. */
  readonly maxHeldMs: number
  /** And at this age however busy the event loop is. */
  readonly maxHeldBusyMs: number
  /** Who has waited this long is refused. */
  readonly maxWaitMs: number
}

/** When the next may begin, from how long those before it took. */
export interface Pace {
  /** Whether each begins in a turn of the event loop of its own. */
  readonly oneByOne: boolean
  readonly begin: () => void
  /** The turn of the event loop in which one began is over. */
  readonly turned: () => void
  /** One has ended, or its place was given on. */
  readonly end: () => void
  readonly pauseMs: () => number
}

export const unpaced: Pace = {
  oneByOne: false,
  begin: () => undefined,
  turned: () => undefined,
  end: () => undefined,
  pauseMs: () => 0
}

export type Leave = () => void

/** Who waits for a place, and hears once that it has one or gets none. */
export interface Arrival {
  readonly begin: (leave: Leave) => void
  readonly refuse: (refusal: Overloaded) => void
}

export interface Lane {
  /** The same in plain functions, for what waits before anything else is begun; the answer is to quit. */
  readonly await: (client: string, arrival: Arrival, heldMs?: number) => () => void
  /** A place, in the client's turn, until it is left. */
  readonly enter: (client: string, heldMs?: number) => Effect.Effect<Leave, Overloaded>
  /** Another place for who had one and goes on: it waits its turn, and is not refused. */
  readonly enterAgain: (client: string) => Effect.Effect<Leave>
  /** Does work when it is a client's turn, or refuses when too many wait. */
  readonly take: (
    client: string,
    heldMs?: number
  ) => <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Overloaded, R>
  /** What it waits for may have changed. */
  readonly look: () => void
}

/** So long others may begin in one turn of the event loop. */
const sliceMs = 5

type Placed = (client: string, heldMs: number, mayRefuse: boolean, arrival: Arrival) => () => void

/** The same places for effects. */
const effects = ({ maxHeldMs }: Bounds, placed: Placed) => {
  const waiting = (client: string, heldMs: number, mayRefuse: boolean) =>
    Effect.callback<Leave, Overloaded>((resume) => {
      const quit = placed(client, heldMs, mayRefuse, {
        begin: (leave) => resume(Effect.succeed(leave)),
        refuse: (refusal) => resume(Effect.fail(refusal))
      })
      return Effect.sync(quit)
    })
  const enter: Lane["enter"] = (client, heldMs = maxHeldMs) => waiting(client, heldMs, true)
  const enterAgain: Lane["enterAgain"] = (client) => Effect.orDie(waiting(client, maxHeldMs, false))
  const take: Lane["take"] = (client, heldMs) => (work) =>
    Effect.flatMap(enter(client, heldMs), (leave) => Effect.ensuring(work, Effect.sync(leave)))
  return { enter, enterAgain, take }
}

// The event loop of this process is what is shared here, so its own clock counts and no other.
export const make = (bounds: Bounds, pace: Pace, full: () => Overloaded): Lane => {
  const queue = FairQueue.make(bounds.maxWaitMs)
  const places = Places.make(bounds.maxHeldBusyMs)
  let inside = 0
  let turn: NodeJS.Immediate | undefined
  let pause: NodeJS.Timeout | undefined

  const soon = () => {
    turn ??= setImmediate(advance)
  }

  const advance = () => {
    turn = undefined
    pace.turned()
    clearTimeout(pause)
    const startedMs = performance.now()
    while (queue.size() > 0 && inside < bounds.maxAtOnce) {
      const waitMs = pace.pauseMs()
      if (waitMs > 0) {
        pause = setTimeout(soon, waitMs)
        return
      }
      queue.next()?.begin()
      if (pace.oneByOne) return
      // Work that waits for nothing is over by now; others than it wait for the event loop.
      if (performance.now() - startedMs > sliceMs) return soon()
    }
  }

  const begun = (heldMs: number): Leave => {
    inside += 1
    pace.begin()
    let isInside = true
    const leave = () => {
      if (!isInside) return
      isInside = false
      places.leave(place)
      inside -= 1
      pace.end()
      if (queue.size() > 0) soon()
    }
    const place = places.hold(heldMs, leave)
    return leave
  }

  const isFull = (client: string) =>
    queue.sizeOf(client) >= bounds.maxWaitingPerClient ||
    (queue.size() >= bounds.maxWaiting && !queue.makeRoomFor(client))

  const placed: Placed = (client, heldMs, mayRefuse, arrival) => {
    const begin = () => {
      arrival.begin(begun(heldMs))
      // After what was begun, so that its work is measured.
      if (pace.oneByOne) soon()
    }
    const isBetween = turn !== undefined && pace.oneByOne
    const isFree = !isBetween && queue.size() === 0 && inside < bounds.maxAtOnce
    if (isFree && pace.pauseMs() === 0) {
      begin()
      return () => undefined
    }
    if (mayRefuse && isFull(client)) {
      arrival.refuse(full())
      return () => undefined
    }
    const waiter = { begin, yieldPlace: () => arrival.refuse(full()) }
    // Who goes on has begun, and holds what it has come to so far.
    if (mayRefuse) queue.join(client, waiter)
    else queue.joinFirst(client, waiter)
    soon()
    return () => queue.quit(client, waiter)
  }

  return {
    await: (client, arrival, heldMs = bounds.maxHeldMs) => placed(client, heldMs, true, arrival),
    ...effects(bounds, placed),
    look: () => {
      if (queue.size() > 0) soon()
    }
  }
}
