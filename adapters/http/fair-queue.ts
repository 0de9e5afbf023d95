/**
 * Who waits, a line for each client, each in its turn; a client who has waited for nothing lately goes first.
 * So however many wait with much, one who comes with little waits for nobody's second request.
 */

export interface Waiter {
  readonly begin: () => void
  /** It has waited in vain: for too long, or somebody who waits with less was given its place in the line. */
  readonly yieldPlace: () => void
}

type Line = Array<Waiter>

export interface FairQueue {
  readonly size: () => number
  /** How many clients wait who have waited for nothing lately. */
  readonly newcomers: () => number
  readonly sizeOf: (client: string) => number
  readonly join: (client: string, waiter: Waiter) => void
  /** Goes before all that its client waits with, and waits for as long as it takes. */
  readonly joinFirst: (client: string, waiter: Waiter) => void
  readonly quit: (client: string, waiter: Waiter) => void
  readonly next: () => Waiter | undefined
  /** Whether somebody who waits with more than this client would gave up a place for it. */
  readonly makeRoomFor: (client: string) => boolean
}

/** Of those who wait for nothing more. */
const maxRemembered = 10_000

/** The lines of those who have waited for nothing lately, and of the others. */
type Lines = readonly [fresh: Map<string, Line>, known: Map<string, Line>]

const first = (lines: Lines): readonly [string, Line] | undefined => {
  for (const each of lines) {
    for (const [client, line] of each) {
      each.delete(client)
      if (line.length > 0) return [client, line]
    }
  }
  return undefined
}

const forgetOne = (known: Map<string, Line>) => {
  for (const [client, line] of known) {
    if (line.length === 0) known.delete(client)
    return
  }
}

const longest = (lines: Lines): Line => {
  let found: Line = []
  for (const each of lines) {
    for (const line of each.values()) if (line.length > found.length) found = line
  }
  return found
}

/** Nobody waits for longer than this, but for those who went first. */
export const make = (maxWaitMs: number): FairQueue => {
  const fresh = new Map<string, Line>()
  // A line stays here empty until its turn comes round, so that nobody is fresh again in the same round.
  const known = new Map<string, Line>()
  const deadlines = new WeakMap<Waiter, NodeJS.Timeout>()
  let all = 0

  const lineOf = (client: string) => fresh.get(client) ?? known.get(client)

  const joinAt = (place: "push" | "unshift") => (client: string, waiter: Waiter) => {
    const line = lineOf(client)
    if (line === undefined) fresh.set(client, [waiter])
    else line[place](waiter)
    all += 1
  }

  const left = (waiter: Waiter | undefined) => {
    if (waiter === undefined) return undefined
    clearTimeout(deadlines.get(waiter))
    all -= 1
    return waiter
  }

  const quit = (client: string, waiter: Waiter) => {
    const line = lineOf(client) ?? []
    const place = line.indexOf(waiter)
    if (place >= 0) left(line.splice(place, 1)[0])
  }

  const join = joinAt("push")

  return {
    size: () => all,
    newcomers: () => fresh.size,
    sizeOf: (client) => lineOf(client)?.length ?? 0,
    join: (client, waiter) => {
      join(client, waiter)
      const giveUp = () => {
        quit(client, waiter)
        waiter.yieldPlace()
      }
      deadlines.set(waiter, setTimeout(giveUp, maxWaitMs).unref())
    },
    joinFirst: joinAt("unshift"),
    quit,
    next: () => {
      const found = first([fresh, known])
      if (found === undefined) return undefined
      const [client, line] = found
      const waiter = left(line.shift())
      // Who comes after nobody waited any more is fresh again; so nobody is remembered for ever.
      if (all === 0) known.clear()
      else known.set(client, line)
      if (known.size > maxRemembered) forgetOne(known)
      return waiter
    },
    makeRoomFor: (client) => {
      const line = longest([fresh, known])
      if (line.length <= (lineOf(client)?.length ?? 0) + 1) return false
      left(line.pop())?.yieldPlace()
      return true
    }
  }
}
